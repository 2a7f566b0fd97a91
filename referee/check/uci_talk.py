"""A conversation in the UCI-style protocol or in UGI, and what their lines must look like."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from quietmove.engine.errors import GameError
from quietmove.engine.protocol.lines import INFO_NUMBERS, InfoLine, parse_bestmove, parse_info, parse_integer
from quietmove.engine.protocol.notation import play_moves
from quietmove.referee.check.subject import Situation
from quietmove.referee.check.talk import FaultError, NotExaminedError, Talk, shown
from quietmove.referee.process.loop import now
from quietmove.referee.seats import Turn
from quietmove.referee.seats.process_seat import DEBUG_OUTPUT
from quietmove.referee.seats.uci import UciSeat, setoption_lines

FIRST_WORDS = {
    *("id", "option", "uciok", "ugiok", "readyok", "info", "bestmove", "response", "registration", "copyprotection")
}
EARLY = "an early answer"  # a cause: a search without an end is ended before it is told to
HOLD_SECONDS = 0.2  # seconds in which nothing may come
TYPES = ("check", "spin", "combo", "button", "string")
WORDS = re.compile(r"(?<=\S)\s+(type|default|min|max|var)(?=\s|$)")  # each ends what stands behind the one before it


@dataclass(frozen=True, slots=True)
class OptionLine:
    """What one line declares; texts as they stand there, empty where the line has none.

    :param choices: the values of `var`.
    """

    name: str
    type: str = ""
    default: str = ""
    min: str = ""
    max: str = ""
    choices: tuple[str, ...] = ()

    def allows(self, value: int) -> bool:
        """Tell whether a `spin` takes this number."""
        least, most = parse_integer(self.min), parse_integer(self.max)
        return self.type == "spin" and least is not None and most is not None and least <= value <= most

    def faults(self) -> Iterator[str]:
        """Yield what is wrong with the line."""
        if self.type not in TYPES:
            yield f"type of option {self.name!r}: must be one of {', '.join(TYPES)}, not {self.type!r}"
        allowed = ""
        if self.type == "spin" and not self.allows(parse_integer(self.default) or 0):
            allowed = f"from {self.min!r} to {self.max!r}"
        if self.type == "check" and self.default not in ("true", "false"):
            allowed = "true or false"
        if self.type == "combo" and self.default not in self.choices:
            allowed = f"one of {', '.join(self.choices)}"
        if allowed:
            yield f"default of option {self.name!r}: must be {allowed}, not {self.default!r}"


class UciTalk(Talk[UciSeat]):
    """A conversation in `uci` or `ugi`.

    :ivar options: what the engine declares.
    """

    quit_line = "quit"
    question_form = "isready"
    answer_form = "readyok"
    in_seconds = False
    options: tuple[OptionLine, ...] = ()

    async def greet(self) -> None:
        self.new_game_line = self.seat.new_game_line
        await super().greet()
        self.options = tuple(read_option(text) for text in self.introduction if text.split()[:1] == ["option"])
        self.send(*setoption_lines([*self.seat.game_option(), *self.subject.config.options]))
        await self.ask(self.subject.start_seconds)

    def position(self, situation: Situation) -> str:
        """Return the line that sets up a position."""
        return self.seat.position_line(Turn(situation.moves, {}, situation.view))

    def short_search(self, situation: Situation) -> list[str]:
        return [self.position(situation), "go depth 1"]

    def long_search(self) -> list[str]:
        return [self.position(self.subject.start()), "go infinite"]

    def move_of(self, text: str) -> str | None:
        best = parse_bestmove(text)
        return None if best is None else self.seat.from_wire(best.move)

    async def stop(self) -> list[str]:
        """Stop the search and ask whether the engine is ready; return the answers to `go`, one at least."""
        self.send("stop", self.question())
        answers, ready = list[str](), False

        def is_complete(text: str) -> bool:
            nonlocal ready
            ready = ready or self.is_answer(text)
            answers.extend(self.moves_among([text]))
            return ready and bool(answers)

        await self.wait_for(is_complete, "bestmove and readyok after stop")
        return answers

    async def hold(self, end: str) -> None:
        """Check that no move comes for a moment, though its search may be complete.

        :param end: the line before which it may not come.
        """
        lines = await self.ask()
        deadline = now() + HOLD_SECONDS
        while (line := await self.line(deadline - now())) is not None:
            lines.append(line)
        if early := self.moves_among(lines):
            raise FaultError(f"sent {shown(early[0])} before {end}", EARLY)

    async def one_answer(self, situation: Situation) -> None:
        """Stop the search of a position; check that exactly one legal move comes."""
        answers = await self.stop()
        answers += self.moves_among(await self.ask())
        if len(answers) != 1:
            raise FaultError(
                f"answer to go: must be one bestmove line, not {len(answers)}: {shown(' | '.join(answers))}"
            )
        self.check_move(situation, answers[0])

    def option(self, name: str) -> OptionLine:
        """Return an option that the engine declares.

        :raises NotExaminedError: if it does not.
        """
        found = next((row for row in self.options if row.name.lower() == name.lower()), None)
        if found is None:
            raise NotExaminedError(f"it has no option {name}")
        return found

    async def reports(self, situation: Situation, limit: str) -> list[InfoLine]:
        """Search a position within a limit of `go`; return the reports, all of whose lines are found well-formed."""
        self.send(self.position(situation), f"go {limit}")
        found = []
        for text in await self.searched(situation):
            check_first_word(text)
            if info := parse_info(text):
                check_numbers(text)
                if situation.view is None:  # a line of play need not be legal with hidden information
                    try:
                        play_moves(self.subject.game, situation.position.copy(), info.pv)
                    except GameError as error:
                        raise FaultError(f"wrote {shown(text)} {situation.where}: {error}") from None
                found.append(info)
        return found


def check_first_word(text: str) -> None:
    """Check that a line is one of the protocol.

    :raises FaultError: if it begins with another word.
    """
    if text and text.split()[0] not in FIRST_WORDS:
        raise FaultError(f"wrote {shown(text)}, which is no line of the protocol{DEBUG_OUTPUT}")


def check_numbers(text: str) -> None:
    """Check that whole numbers follow the words of `info` that take one.

    :raises FaultError: if something else does.
    """
    words = text.split(" string ")[0].split(" pv ")[0].split()
    for word, value in zip(words, [*words[1:], ""], strict=True):
        if word in INFO_NUMBERS and parse_integer(value) is None:
            raise FaultError(f"{word} in {shown(text)}: must be a whole number, not {shown(value)}")


def read_option(line: str) -> OptionLine:
    """Return what a line declares; a name may have several words, none of them but the first one of WORDS."""
    name, *rest = WORDS.split(line.removeprefix("option").strip().removeprefix("name"))
    pairs = [(word, value.strip()) for word, value in zip(rest[::2], rest[1::2], strict=True)]
    found = {word: value for word, value in pairs if word != "var"}
    return OptionLine(name.strip(), **found, choices=tuple(value for word, value in pairs if word == "var"))
