"""A conversation with an engine, line by line and byte by byte: what every protocol's examinations are made of."""

from __future__ import annotations

import asyncio
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import Generic, Self, TypeVar, cast

from quietmove.engine.errors import GameError
from quietmove.referee.check.examination import FaultError, NoGreetingError, shown
from quietmove.referee.check.subject import Situation, Subject
from quietmove.referee.config.model import EngineConfig
from quietmove.referee.errors import SetupError
from quietmove.referee.process.engine_process import EngineProcess
from quietmove.referee.process.inbox import Line
from quietmove.referee.seats import create_seat
from quietmove.referee.seats.process_seat import ProcessSeat

__all__ = ["Talk", "now"]

SeatType = TypeVar("SeatType", bound=ProcessSeat)


class Talk(ABC, Generic[SeatType]):
    """A conversation with a new process of the engine; a context manager, after whose block the process has ended.

    It raises a SetupError where the process cannot be started at all.

    A subclass says how the engine is greeted, asked and made to think in its protocol.

    :ivar quit_line: ends the engine; empty if the protocol has none.
    :ivar new_game_line: begins another game; empty if the protocol has none.
    :ivar think_seconds: how long the engine may go on with :meth:`long_search` after it was told to end.
    :ivar asked: the last question.
    """

    quit_line = ""
    new_game_line = ""
    think_seconds = 0.0
    asked = ""

    def __init__(self, subject: Subject) -> None:
        self.subject = subject
        self.seat = cast("SeatType", create_seat(self.config(), subject.game.name))

    async def __aenter__(self) -> Self:
        if failure := await self.seat.launch():
            raise SetupError(f"the engine {failure.detail}")
        try:
            await self.greet()
        except FaultError as error:
            await self.seat.end(patient=False)
            raise NoGreetingError(str(error)) from None
        except BaseException:
            await self.seat.end(patient=False)
            raise
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.seat.end(patient=False)

    # ---- what a protocol says

    def config(self) -> EngineConfig:
        """Return how the engine is started."""
        return self.subject.config

    @abstractmethod
    async def greet(self) -> None:
        """Do what comes before everything else."""

    @abstractmethod
    def question(self) -> str:
        """Return a line that an engine at rest answers at once, a new one where the answer repeats a number of it.

        It is kept in :attr:`asked`.
        """

    @abstractmethod
    def is_answer(self, text: str) -> bool:
        """Tell whether a line answers the last :meth:`question`."""

    @abstractmethod
    def short_search(self, situation: Situation) -> list[str]:
        """Return the lines that ask for a move, in a search as short as the protocol can say."""

    @abstractmethod
    def long_search(self) -> list[str]:
        """Return the lines that ask for a move in the initial position, which should take some seconds at least."""

    @abstractmethod
    def move_of(self, text: str) -> str | None:
        """Return the move that a line answers with, as the game writes it; None if it answers with none."""

    # ---- lines

    @property
    def process(self) -> EngineProcess:
        """The engine's process."""
        return self.seat.process

    def send(self, *lines: str) -> None:
        """Send whole lines in one write."""
        self.process.begin_turn(forget=False)
        self.process.send(*lines)

    async def line(self, seconds: float) -> Line | None:
        """Return the next line, None if none comes within ``seconds``."""
        return await self.process.read_line(now() + seconds)

    async def wait_for(self, wanted: Callable[[str], bool], what: str, seconds: float | None = None) -> list[str]:
        """Return the lines up to the one that is ``wanted``, by default within the time for what takes no thought.

        :param what: is waited for, in words.
        :raises FaultError: if it does not come.
        """
        seconds = self.subject.within if seconds is None else seconds
        deadline = now() + seconds
        lines = []
        while line := await self.process.read_line(deadline):
            lines.append(line.text.strip())
            if wanted(lines[-1]):
                return lines
        raise FaultError(await self.silence(what, seconds))

    async def silence(self, what: str, seconds: float) -> str:
        """Return why a line did not come within ``seconds``."""
        if self.process.is_closed:
            return await self.process.describe_end(f" before {what}")
        if self.process.flood:
            return f"sent {self.process.flood} before {what}"
        return f"did not send {what} within {seconds * 1000:.0f} ms"

    async def answered(self, seconds: float | None = None) -> list[str]:
        """Wait for the answer to the last question; return the lines before it."""
        return (await self.wait_for(self.is_answer, f"the answer to {shown(self.asked)}", seconds))[:-1]

    async def ask(self, seconds: float | None = None) -> list[str]:
        """Ask the question and wait for its answer; return the lines before it."""
        self.send(self.question())
        return await self.answered(seconds)

    async def quiet_until_answer(self, after: str) -> None:
        """Ask the question; no move may come before the answer.

        :raises FaultError: if one does, which nobody asked for.
        """
        if moves := self.moves_among(await self.ask(self.subject.start_seconds)):
            raise FaultError(f"sent {shown(moves[0])} after {after}, which asks for no move")

    def moves_among(self, lines: Sequence[str]) -> list[str]:
        """Return the lines that answer with a move."""
        return [text for text in lines if self.move_of(text) is not None]

    async def move(self, situation: Situation, seconds: float | None = None) -> str:
        """Wait for the answer to a search, check that it is a legal move, and return the line.

        :raises FaultError: if it does not come or is not legal.
        """
        patience = self.subject.start_seconds if seconds is None else seconds
        lines = await self.wait_for(lambda text: self.move_of(text) is not None, "its move", patience)
        self.check_move(situation, lines[-1])
        return lines[-1]

    async def plays(self, situation: Situation) -> str:
        """Ask for a move by a short search, check that it is legal, and return the line that answers.

        :raises FaultError: as :meth:`move`.
        """
        self.send(*self.short_search(situation))
        return await self.move(situation)

    def check_move(self, situation: Situation, line: str) -> None:
        """Check that a line answers with a move that is legal.

        :raises FaultError: if it does not.
        """
        try:
            self.subject.game.parse_move(situation.position, self.move_of(line) or "")
        except GameError as error:
            raise FaultError(f"answered {shown(line)} {situation.where}: {error}") from None

    async def ended(self, after: str, seconds: float) -> float:
        """Wait for the end of the process; return after how many milliseconds it came.

        :raises FaultError: if it does not end by itself.
        """
        started = now()
        if not await self.process.wait_ended(seconds):
            raise FaultError(f"runs on {seconds * 1000:.0f} ms after {after}")
        return (now() - started) * 1000


def now() -> float:
    """Return the event loop's time, in seconds: the clock by which lines are judged."""
    return asyncio.get_running_loop().time()
