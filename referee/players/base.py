"""What a match asks of a player, and what all engines have in common whatever protocol they speak."""

from __future__ import annotations

import asyncio
import contextlib
import time
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass

from quietmove.engine.games.base import get_game
from quietmove.engine.protocol.lines import InfoLine
from quietmove.referee.clock import Clock
from quietmove.referee.config import Color, EngineConfig
from quietmove.referee.inbox import Line
from quietmove.referee.process import EngineProcess, Listener
from quietmove.referee.record import Reason
from quietmove.referee.verdict import Observation, judge

__all__ = ["Answer", "Failure", "Player", "Turn"]


@dataclass(frozen=True, slots=True)
class Turn:
    """What a player is asked.

    :param moves: all moves of the game so far, as the game writes them.
    :param clocks: both players' clocks, as they stand.
    :param view: the position as this player knows it, in a game with hidden information; the moves are in it.
    """

    moves: tuple[str, ...]
    clocks: Mapping[Color, Clock]
    view: str | None = None


@dataclass(frozen=True, slots=True)
class Answer:
    """What came of it.

    :param line: the line that was meant as the answer; ``None`` if none arrived in time.
    :param move: the move that it names, as the game writes it; ``None`` if it does not even look like one.
    :param elapsed_ms: milliseconds from the request to the arrival of the line.
    :param claim: the engine's last report on its own search.
    """

    line: str | None
    move: str | None
    elapsed_ms: float
    claim: InfoLine | None = None


@dataclass(frozen=True, slots=True)
class Failure:
    """Why a player did not come to the board.

    :param detail: what the engine did, as the rest of a sentence that begins with its name.
    """

    reason: Reason
    detail: str


class Player(ABC):
    """An engine at the board. No method raises for what an engine does; whoever makes a player must :meth:`end` it.

    :cvar farewell: the line that asks the engine to end; empty where the end of its input is all there is.
    :cvar can_resign: whether ``resign`` is an answer in this protocol.
    """

    farewell = ""
    can_resign = False

    def __init__(self, config: EngineConfig, color: Color, game: str, listener: Listener | None = None) -> None:
        """Prepare to play ``game`` as ``color``; ``listener`` is told every line that comes or goes."""
        self.config = config
        self.color = color
        self.game = game
        self.grid = get_game(game).grid
        self._listener = listener
        self._process: EngineProcess | None = None

    @property
    def process(self) -> EngineProcess:
        """The engine's process, which is there once :meth:`start` has not failed."""
        assert self._process is not None, "the player was not started"
        return self._process

    @property
    def stderr(self) -> str:
        """The end of what the engine wrote to its standard error."""
        return self._process.stderr if self._process else ""

    async def start(self) -> Failure | None:
        """Start the engine and shake hands; return why that failed, or None."""
        starting = asyncio.ensure_future(EngineProcess.start(self.config.command, self._listener))
        try:
            self._process = await asyncio.shield(starting)
        except OSError as error:
            return Failure("crash", f"cannot be started: {self.config.command[0]}: {error.strerror}")
        except asyncio.CancelledError:
            with contextlib.suppress(OSError):  # a process half started could not be ended
                self._process = await starting
            raise
        return await self._greet()

    @abstractmethod
    async def think(self, turn: Turn) -> Answer:
        """Ask for a move and wait for it, for as long as the clock or the stall deadline allows."""

    async def end(self, *, patient: bool = True) -> None:
        """End the engine and everything it left in its process group."""
        if self._process is not None:
            await self._process.end(self.farewell, patient=patient)

    @abstractmethod
    async def _greet(self) -> Failure | None:
        """Do what comes before the first move."""

    def _patience(self, turn: Turn) -> float:
        """Return how many seconds the answer to ``turn`` is waited for."""
        patience_ms = turn.clocks[self.color].patience_ms
        return (self.config.stall_timeout_ms if patience_ms is None else patience_ms) / 1000

    def _answer(self, line: Line | None, move: str | None, started: float, claim: InfoLine | None = None) -> Answer:
        """Return what ``line`` amounts to; a flood is an answer that is no move."""
        if line is not None:
            return Answer(line.text, move, max(0.0, line.at - started) * 1000, claim)
        flood = f"({self.process.flood})" if self.process.flood else None
        return Answer(flood, None, (time.monotonic() - started) * 1000, claim)

    async def _failure(self, waited_for: str) -> Failure:
        """Return why ``waited_for`` did not come."""
        closed = self.process.is_closed
        reason = judge(Observation(crashed=closed, answered=False))
        assert reason is not None
        if closed:
            return Failure(reason, f"{await self.process.describe_end()} before {waited_for}")
        if self.process.flood:
            return Failure(reason, f"sent {self.process.flood} before {waited_for}")
        return Failure(reason, f"did not send {waited_for} within {self.config.start_timeout_ms} ms")
