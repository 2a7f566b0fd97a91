"""The manners of an engine that speaks GTP, version 2."""

from __future__ import annotations

from collections.abc import Callable

from quietmove.referee.check.examination import Examination, FaultError, NotExaminedError, shown
from quietmove.referee.check.games import CLOCKS, GAMES, MOVES
from quietmove.referee.check.streams import ENDS, LINES, QUITS
from quietmove.referee.check.subject import Situation, Subject
from quietmove.referee.check.talk import Talk, now
from quietmove.referee.config.model import COLORS
from quietmove.referee.seats.gtp import GtpSeat

__all__ = ["EXAMINATIONS", "GtpTalk"]

REQUIRED = (
    *("protocol_version", "name", "version", "known_command", "list_commands", "quit"),
    *("boardsize", "clear_board", "play", "genmove"),
)  # of GTP 2; without komi, which only Go has
THINK_SECONDS = 3
GENMOVE_ID = 900_000_000  # of the commands that ask for a move, so that their answers are told from others


class GtpTalk(Talk[GtpSeat]):
    """A conversation in which every command has a number; its answer is the first line, which repeats the number."""

    quit_line = "quit"
    new_game_line = "clear_board"
    think_seconds = float(THINK_SECONDS)
    number = 0

    async def greet(self) -> None:
        """Ask for the name."""
        await self.ask(self.subject.start_seconds)

    def question(self) -> str:
        """Return `name` with a number of its own."""
        self.number += 1
        self.asked = f"{self.number} name"
        return self.asked

    def is_answer(self, text: str) -> bool:
        """Tell whether a line answers the last number."""
        return text.split()[:1] == [f"={self.number}"]

    def moves(self, situation: Situation) -> list[str]:
        """Return the lines that set up a position; a forced pass is left out, as not every engine knows one."""
        colors = {len(situation.moves) - back: back % 2 for back in range(1, len(situation.moves) + 1)}
        own = COLORS.index(situation.color)
        plays = [
            f"play {COLORS[own ^ colors[index]]} {move}" for index, move in enumerate(situation.moves) if move != "pass"
        ]
        return ["clear_board", *plays]

    def short_search(self, situation: Situation) -> list[str]:
        """Return a search with a second for the rest of the game, the least that the protocol can say."""
        genmove = f"{GENMOVE_ID} genmove {situation.color}"
        return [*self.moves(situation), "time_settings 1 0 0", genmove]

    def long_search(self) -> list[str]:
        """Return a search of :data:`THINK_SECONDS`."""
        return [f"time_settings 0 {THINK_SECONDS} 1", f"{GENMOVE_ID} genmove black"]

    def move_of(self, text: str) -> str | None:
        """Return the move in the answer to a `genmove` with :data:`GENMOVE_ID`."""
        sign, _, move = text.partition(" ")
        return move.strip().lower() if sign == f"={GENMOVE_ID}" else None

    async def command(self, text: str, seconds: float | None = None) -> list[str]:
        """Send a command with a number; return its answer from the first line, without the empty one that ends it.

        :raises FaultError: if none comes, or what comes first is no answer to it.
        """
        self.number += 1
        self.send(f"{self.number} {text}")
        patience = self.subject.start_seconds if seconds is None else seconds
        lines = await self.wait_for(_ends_answer(), f"an answer to {shown(text)} and an empty line", patience)
        lines = [line for line in lines if line]
        if lines[0].split()[0] not in (f"={self.number}", f"?{self.number}"):
            raise FaultError(f"answered {shown(lines[0])} to {shown(f'{self.number} {text}')}")
        return lines


def _ends_answer() -> Callable[[str], bool]:
    """Return a test for the empty line that ends an answer; those before it do not count."""
    begun = False

    def ends(text: str) -> bool:
        nonlocal begun
        begun = begun or bool(text)
        return begun and not text

    return ends


async def handshake(subject: Subject) -> str:
    """Ask for the version of the protocol and for the commands, some of which every engine must know."""
    started = now()
    async with GtpTalk(subject) as talk:
        elapsed = (now() - started) * 1000
        version = await talk.command("protocol_version")
        if version[0].split()[1:] != ["2"]:
            raise FaultError(f"answered protocol_version by {shown(version[0])}; 2 is allowed")
        first, *others = await talk.command("list_commands")
        known = {word for line in (first.partition(" ")[2], *others) for word in line.split()}
        missing = [name for name in REQUIRED if name not in known]
        if missing:
            raise FaultError(f"does not list {', '.join(missing)}")
    return f"ready after {elapsed:.0f} ms; {len(known)} commands"


async def numbers(subject: Subject) -> str:
    """Send commands with a number: the answer repeats it, and has none without one."""
    async with GtpTalk(subject) as talk:
        for number in ("0", "1", "2147483647"):
            await expect_first(talk, f"{number} name", f"={number}")
        await expect_first(talk, "name", "=")
    return "0, 1, 2147483647 and none"


async def errors(subject: Subject) -> str:
    """Send commands that cannot be carried out: each is answered by `?` and changes nothing."""
    wrong = ("xyzzy", "play purple d3", "play black z9", "play black a1", "genmove", "boardsize many")
    async with GtpTalk(subject) as talk:
        await talk.command("clear_board")
        for text in wrong:
            answer = await talk.command(text)
            if not answer[0].startswith("?"):
                raise FaultError(f"answered {shown(answer[0])} to {shown(text)}, which is wrong")
        situation = subject.start()
        talk.send(*talk.short_search(situation)[1:])
        await talk.move(situation)
    return f"{len(wrong)} commands refused"


async def comments(subject: Subject) -> str:
    """Send comments, tabs and empty lines: they are passed over."""
    async with GtpTalk(subject) as talk:
        talk.send("# a comment", "", "   ")
        await expect_first(talk, "\t7\tname # and another", "=7")
    return "passed over"


async def queued(subject: Subject) -> str:
    """Send a command behind `genmove`: it is answered after the move."""
    situation = subject.start()
    async with GtpTalk(subject) as talk:
        talk.send(*talk.short_search(situation), talk.question())
        lines = await talk.answered(subject.start_seconds)
    if not any(talk.move_of(text) is not None for text in lines):
        raise FaultError("answered the command behind genmove before it")
    return "the move came first"


async def finished_game(subject: Subject) -> str:
    """Ask for a move where the game is over: a pass or a refusal."""
    situation = subject.finished()
    assert situation is not None, "Othello ends"
    async with GtpTalk(subject) as talk:
        for line in talk.moves(situation):
            await talk.command(line)
        answer = await talk.command(f"genmove {situation.color}")
        if not answer[0].startswith("?") and answer[0].split()[1:2] not in (["pass"], ["PASS"], ["resign"]):
            raise FaultError(f"answered {shown(answer[0])} where the game is over")
    return shown(answer[0])


async def score(subject: Subject) -> str:
    """Ask for the score where the game is over: it names the winner by the rules."""
    situation = subject.finished()
    assert situation is not None, "Othello ends"
    async with GtpTalk(subject) as talk:
        if (await talk.command("known_command final_score"))[0].split()[1:] != ["true"]:
            raise NotExaminedError("it does not know final_score")
        for line in talk.moves(situation):
            await talk.command(line)
        said = (await talk.command("final_score"))[0]
    result = situation.position.result()
    wanted = "0" if not result else "B" if result > 0 else "W"
    if said.partition(" ")[2][:1].upper() != wanted:
        raise FaultError(f"answered {shown(said)} where {'nobody' if not result else wanted} has won")
    return shown(said)


async def same_answer(subject: Subject) -> str:
    """Search the same position twice: whether the moves are the same."""
    situation, answers = subject.situations(20)[-1], []
    async with GtpTalk(subject) as talk:
        for _ in range(2):
            answers.append(await talk.plays(situation))
    return "the same move" if answers[0] == answers[1] else "the moves differ"


async def expect_first(talk: GtpTalk, line: str, first: str) -> None:
    """Send a line; what comes next must begin with the word ``first`` and end with an empty line."""
    talk.send(line)
    lines = await talk.wait_for(_ends_answer(), f"an answer to {shown(line)} and an empty line")
    found = next(text for text in lines if text)
    if found.split()[0] != first:
        raise FaultError(f"answered {shown(found)} to {shown(line)}; {first!r} is allowed")


EXAMINATIONS = (
    Examination("handshake", handshake),
    Examination("numbers", numbers),
    Examination("errors", errors),
    Examination("comments", comments),
    Examination("queued", queued),
    *LINES,
    *QUITS,
    *ENDS,
    *MOVES,
    Examination("finished-game", finished_game),
    Examination("final-score", score),
    *GAMES,
    *CLOCKS,
    Examination("same-answer", same_answer, informs=True),
)
