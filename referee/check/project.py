"""The manners of a program of the Othello project: line one, then moves in turn, and nothing else on its output."""

from __future__ import annotations

import asyncio

from quietmove.engine.protocol.coordinates import PROGRAMS
from quietmove.referee.check.examination import Examination, FaultError, NoGreetingError, shown
from quietmove.referee.check.games import CLOCKS, GAMES
from quietmove.referee.check.streams import BETWEEN_WRITES, ENDS
from quietmove.referee.check.subject import Situation, Subject
from quietmove.referee.check.talk import Talk, now
from quietmove.referee.config.model import EngineConfig, TimeControl
from quietmove.referee.seats.project import ProjectSeat

__all__ = ["EXAMINATIONS", "ProjectTalk"]

THINK_SECONDS = 3
FIRST_MOVES = ("d3", "c4", "f5", "e6")


class ProjectTalk(Talk[ProjectSeat]):
    """A conversation of one game; its one question is line one as Black, which is answered by a move."""

    think_seconds = float(THINK_SECONDS)

    def config(self) -> EngineConfig:
        """Return how the engine is started: one ply deep."""
        return self.subject.limited(TimeControl(depth=1))

    async def greet(self) -> None:
        """Do nothing: the program says nothing before line one."""

    def question(self) -> str:
        """Return line one."""
        self.asked = "game B 1 0 0"
        return self.asked

    def is_answer(self, text: str) -> bool:
        """Tell whether a line is a move."""
        return self.move_of(text) is not None

    def short_search(self, situation: Situation) -> list[str]:
        """Return line one; there is no other position than the first."""
        return [self.question()]

    def long_search(self) -> list[str]:
        """Return line one with some seconds for each move."""
        seconds = THINK_SECONDS * (1000 if self.seat.setting("unit") == "ms" else 1)
        return [f"game B 0 {seconds} 0"]

    def move_of(self, text: str) -> str | None:
        """Return the move that a line is."""
        return self.seat.from_wire(text)


async def first_move(subject: Subject) -> str:
    """Send line one as Black: a legal move, in the coordinates that are set."""
    started = now()
    async with ProjectTalk(subject) as talk:
        talk.send(talk.question())
        line = await talk.line(subject.start_seconds)
        if line is None:
            raise NoGreetingError(await talk.silence("its first move", subject.start_seconds))
        others = [name for name in PROGRAMS if name != talk.seat.setting("coordinates")]
        fitting = [name for name in others if PROGRAMS[name].read(talk.seat.grid, line.text.strip()) in FIRST_MOVES]
        if fitting and talk.move_of(line.text.strip()) not in FIRST_MOVES:
            raise NoGreetingError(f"answered {shown(line.text)}, a move in other coordinates: coordinates={fitting[0]}")
        talk.check_move(subject.start(), line.text.strip())
    return f"{shown(line.text)} after {(now() - started) * 1000:.0f} ms"


async def white_waits(subject: Subject) -> str:
    """Send line one as White: no answer."""
    async with ProjectTalk(subject) as talk:
        talk.send("game W 1 0 0")
        if line := await talk.line(subject.within):
            raise FaultError(f"wrote {shown(line.text)} before Black had moved")
    return f"nothing in {subject.within_ms} ms"


async def no_limit(subject: Subject) -> str:
    """Send line one with all limits 0: a legal move."""
    async with ProjectTalk(subject) as talk:
        talk.send("game B 0 0 0")
        await talk.move(subject.start())
    return "a legal move"


async def crlf(subject: Subject) -> str:
    """End line one with CR LF."""
    async with ProjectTalk(subject) as talk:
        talk.process.write(f"{talk.question()}\r\n".encode())
        await talk.move(subject.start())
    return "read as LF is"


async def split_line(subject: Subject) -> str:
    """Send line one in two writes."""
    async with ProjectTalk(subject) as talk:
        data = f"{talk.question()}\n".encode()
        talk.process.write(data[:5])
        await asyncio.sleep(BETWEEN_WRITES)
        talk.process.write(data[5:])
        await talk.move(subject.start())
    return "read"


async def only_moves(subject: Subject) -> str:
    """Wait after its move: nothing more is written."""
    async with ProjectTalk(subject) as talk:
        talk.send(talk.question())
        await talk.move(subject.start())
        if line := await talk.line(subject.within):
            raise FaultError(f"wrote {shown(line.text)} after its move")
    return f"nothing more in {subject.within_ms} ms"


EXAMINATIONS = (
    Examination("first-move", first_move),
    Examination("white-waits", white_waits),
    Examination("no-limit", no_limit),
    Examination("only-moves", only_moves),
    Examination("crlf", crlf),
    Examination("split-line", split_line),
    *ENDS,
    *GAMES,
    *CLOCKS,
)
