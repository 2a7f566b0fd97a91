"""Seat for the installed engine in the referee's own process, without a process, pipes or a dialogue of its own.

It plays the same moves as the engine in its own process, at more games per second. A crash of the engine can take the
referee with it, so use it only for an engine that you trust.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterator
from typing import TYPE_CHECKING

from quietmove.engine.common.errors import QuietmoveError
from quietmove.engine.protocol.lines import OptionLine
from quietmove.engine.values import Limits
from quietmove.referee.config.model import OWN_ENGINE, PROCESS_KEYS, Color, EngineConfig
from quietmove.referee.seats.base import Answer, Failure, Listener, Objection, Seat, Turn

if TYPE_CHECKING:
    from quietmove.engine.protocol.player import Player

STOP_SECONDS = 0.02  # interval in seconds between stop requests to a search that has not ended


class InProcessSeat(Seat):
    """A seat for the engine in this process."""

    _player: Player | None = None
    _fault = ""
    _began: float | None = None  # the time at which a thread started the search
    _options: tuple[tuple[str, str], ...] = ()

    @classmethod
    def problems(cls, config: EngineConfig) -> Iterator[str]:
        if config.command not in ((), (OWN_ENGINE,)):
            yield f"command: must be {OWN_ENGINE} or empty with protocol=in-process, not {' '.join(config.command)}"
        default = EngineConfig("default")
        for name in PROCESS_KEYS:
            if getattr(config, name) != getattr(default, name):
                yield f"{name}: must not be given with protocol=in-process, which starts no process"

    async def objections(self) -> list[Objection]:
        return [Objection(name, text) for name, text in self._set_options(self._make_player())]

    async def offered(self) -> list[OptionLine]:
        return self._make_player().declared()

    async def start(self, color: Color, listener: Listener) -> Failure | None:
        self.color, self.listener = color, listener
        if self._player is None:
            self._player = self._make_player()
        for name, text in self._set_options(self._player):
            return Failure("illegal", f"does not accept the option {name}: {text}")
        self._player.new_game()
        return None

    async def think(self, turn: Turn) -> Answer:
        """Search for a move: a short search runs immediately, a longer one in a thread while other games continue.

        The clock starts when a thread starts the search, because waiting for a thread is not the engine's fault. It
        stops when the search ends, however late the event loop notices.
        """
        limits = self.limits(turn)
        self._began = time.monotonic()
        try:
            is_short = self._follow(turn).is_short(limits)
        except MemoryError:
            raise
        except Exception as error:
            return self._failed(error)
        if is_short:
            return self._choose(limits)
        self._began = None
        searching = asyncio.ensure_future(asyncio.to_thread(self._choose, limits))
        patience = self._patience(turn)
        try:
            while not searching.done() and (left := patience - self._elapsed_ms() / 1000) > 0:
                await asyncio.wait([searching], timeout=left)
        finally:
            while not searching.done() and self._player:
                self._player.stop()  # has no effect before the search has started
                await asyncio.wait([searching], timeout=STOP_SECONDS)
        answer = searching.result()
        return answer if answer.elapsed_ms <= 1000 * patience else Answer(None, None, answer.elapsed_ms)

    def stop(self) -> None:
        if self._player is not None:
            self._player.stop()

    def _follow(self, turn: Turn) -> Player:
        """Set up the position to search, and return the player."""
        assert self._player is not None
        if turn.view is None:
            self._player.follow(turn.moves, turn.start)
        else:
            self._player.see(turn.view)
        return self._player

    def _choose(self, limits: Limits) -> Answer:
        assert self._player is not None
        if self._began is None:
            self._began = time.monotonic()
        try:
            move, claim = self._player.choose(limits)
        except MemoryError:  # a shortage on the machine is not the engine's fault
            raise
        except Exception as error:
            return self._failed(error)
        if claim and self.listener.info:
            self.listener.info(claim)
        return Answer(move, move, self._elapsed_ms(), claim)

    def _failed(self, error: Exception) -> Answer:
        """Return an empty answer after an exception; a game written in Python can raise anything."""
        self._fault = f"{type(error).__name__}: {error}"
        return Answer(None, None, self._elapsed_ms())

    def _elapsed_ms(self) -> float:
        """Return the search time so far in milliseconds, or 0 before a thread has started the search."""
        return 0.0 if self._began is None else (time.monotonic() - self._began) * 1000

    async def has_left(self, seconds: float) -> bool:
        return bool(self._fault)

    async def describe_end(self) -> str:
        return f"failed: {self._fault}"

    async def keep(self) -> bool:
        return not self._fault

    async def end(self, *, patient: bool = True) -> None:
        self._player = None

    def _make_player(self) -> Player:
        from quietmove.engine.protocol.player import Player  # load the search only in processes that play

        self._options = ()
        return Player(self.game)

    def _set_options(self, player: Player) -> list[tuple[str, str]]:
        """Set the options that have changed since the last call; return each refused option with the reason."""
        refused = []
        for name, value in self.config.options:
            if (name, value) not in self._options:
                try:
                    player.set_option(name, value)
                except QuietmoveError as error:
                    refused.append((name, str(error)))
        self._options = self.config.options
        return refused
