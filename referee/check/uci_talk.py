"""A conversation in the UCI-style protocol or in UGI, and what their lines must look like."""

from __future__ import annotations

from quietmove.engine.errors import GameError
from quietmove.engine.protocol.lines import INFO_NUMBERS, InfoLine, parse_bestmove, parse_info, parse_integer
from quietmove.engine.protocol.notation import play_moves
from quietmove.referee.check.examination import FaultError, NotExaminedError, shown
from quietmove.referee.check.subject import Situation, Subject
from quietmove.referee.check.talk import Talk, now
from quietmove.referee.check.uci_options import OptionLine, read_options
from quietmove.referee.seats.uci import UciSeat

__all__ = ["UciTalk", "check_first_word", "reports"]

FIRST_WORDS = {
    *("id", "option", "uciok", "ugiok", "readyok", "info", "bestmove", "response", "registration", "copyprotection")
}
HOLD = 0.2  # seconds in which nothing may come


class UciTalk(Talk[UciSeat]):
    """A conversation in `uci` or `ugi`.

    :ivar options: what the engine declares, by name in lower case.
    """

    quit_line = "quit"

    def __init__(self, subject: Subject) -> None:
        super().__init__(subject)
        self.new_game_line = self.seat.new_game_line
        self.options: dict[str, OptionLine] = {}
        self.introduction: list[str] = []

    async def greet(self) -> None:
        """Ask who it is, set the options that the command line gives, and wait until it is ready."""
        greeting, answer = self.seat.greeting
        self.send(greeting)
        start = self.subject.start_seconds
        self.introduction = await self.wait_for(lambda text: text == answer, answer, start)
        self.options = {row.name.lower(): row for row in read_options(self.introduction)}
        for name, value in (*self.seat.game_option(), *self.subject.config.options):
            if name.lower() not in self.options:
                raise FaultError(f"has no option {name!r}")
            self.send(f"setoption name {name} value {value}")
        await self.ask(start)

    def question(self) -> str:
        """Return `isready`."""
        self.asked = "isready"
        return self.asked

    def is_answer(self, text: str) -> bool:
        """Tell whether a line is `readyok`."""
        return text == "readyok"

    def position(self, situation: Situation) -> str:
        """Return the line that sets up a position."""
        return self.seat.position_line(situation.turn(self.seat.config.limit, 0))

    def short_search(self, situation: Situation) -> list[str]:
        """Return a search one ply deep."""
        return [self.position(situation), "go depth 1"]

    def long_search(self) -> list[str]:
        """Return a search without an end."""
        return [self.position(self.subject.start()), "go infinite"]

    def move_of(self, text: str) -> str | None:
        """Return the move of `bestmove`."""
        best = parse_bestmove(text)
        return None if best is None else self.seat.from_wire(best.move)

    def to_wire(self, move: str) -> str:
        """Return a move as the engine reads it."""
        return self.seat.coordinates.write(self.seat.grid, move)

    async def stop(self) -> list[str]:
        """Stop the search and ask whether the engine is ready; return the answers to `go`, one at least."""
        self.send("stop", self.question())
        answers, ready, deadline = list[str](), False, now() + self.subject.within
        while not (answers and ready):
            line = await self.line(deadline - now())
            if line is None:
                missing = "readyok" if answers else "bestmove"
                raise FaultError(await self.silence(f"{missing} after stop", self.subject.within))
            text = line.text.strip()
            ready = ready or self.is_answer(text)
            answers += [text] if self.move_of(text) is not None else []
        return answers

    async def hold(self, end: str) -> None:
        """Check that no move comes for a moment, though its search may be complete.

        :param end: the line before which it may not come.
        """
        lines = await self.ask()
        deadline = now() + HOLD
        while line := await self.line(deadline - now()):
            lines.append(line.text.strip())
        if early := self.moves_among(lines):
            raise FaultError(f"sent {shown(early[0])} before {end}")

    async def one_answer(self, situation: Situation) -> None:
        """Stop the search of a position; check that exactly one legal move comes."""
        answers = await self.stop()
        answers += self.moves_among(await self.ask())
        if len(answers) != 1:
            raise FaultError(f"answered one go by {len(answers)} bestmove lines: {shown(' | '.join(answers))}")
        self.check_move(situation, answers[0])

    def option(self, name: str) -> OptionLine:
        """Return an option that the engine declares.

        :raises NotExaminedError: if it does not.
        """
        if name.lower() not in self.options:
            raise NotExaminedError(f"it has no option {name}")
        return self.options[name.lower()]


async def reports(talk: UciTalk, situation: Situation) -> list[InfoLine]:
    """Return the reports of the search that runs, after its answer has come and all its lines are found well-formed."""
    is_move = talk.move_of
    lines = await talk.wait_for(lambda text: is_move(text) is not None, "bestmove", talk.subject.start_seconds)
    talk.check_move(situation, lines[-1])
    found = []
    for text in lines:
        check_first_word(text)
        if info := parse_info(text):
            check_numbers(text)
            check_line_of_play(talk.subject, situation, text, info.pv)
            found.append(info)
    return found


def check_first_word(text: str) -> None:
    """Check that a line is one of the protocol.

    :raises FaultError: if it begins with another word.
    """
    if text and text.split()[0] not in FIRST_WORDS:
        raise FaultError(f"wrote {shown(text)}, which is no line of the protocol")


def check_numbers(text: str) -> None:
    """Check that whole numbers follow the words of `info` that take one.

    :raises FaultError: if something else does.
    """
    words = text.split(" string ")[0].split(" pv ")[0].split()
    for word, value in zip(words, [*words[1:], ""], strict=True):
        if word in INFO_NUMBERS and parse_integer(value) is None:
            raise FaultError(f"wrote {shown(text)}: {word} takes a whole number")


def check_line_of_play(subject: Subject, situation: Situation, text: str, moves: tuple[str, ...]) -> None:
    """Check that the line of play of a report can be played; with hidden information it need not.

    :raises FaultError: if it cannot.
    """
    if situation.view is None:
        try:
            play_moves(subject.game, situation.position.copy(), moves)
        except GameError as error:
            raise FaultError(f"wrote {shown(text)} {situation.where}: {error}") from None
