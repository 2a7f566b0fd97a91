"""A host for games: an event loop in its own thread that reuses engines from game to game."""

from __future__ import annotations

import asyncio
import sys
import threading
from collections.abc import Sequence
from concurrent.futures import CancelledError, Future
from queue import SimpleQueue

from quietmove.engine.common.entry import take
from quietmove.referee.config.model import GameSpec
from quietmove.referee.errors import GameInterruptedError, PauseError
from quietmove.referee.game.judged_game import JudgedGame
from quietmove.referee.game.record import GameRecord, MoveRecord, Observer
from quietmove.referee.process.loop import RefereeLoop
from quietmove.referee.process.shortage import shortage_of
from quietmove.referee.seats.pool import SeatPool

SWITCH_SECONDS = 0.0005  # Python's default, 0.005 s, would delay a line while another thread computes a table


def play_game(spec: GameSpec, observer: Observer | None = None) -> GameRecord:
    """Play one game with new processes and return its record; an engine's fault becomes a verdict, never an error.

    :raises UnknownGameError, SetupError: if there is no such game, or its opening cannot be played.
    :raises ShortageError: if the machine has no room for the engines.
    """
    with GameHost() as host:
        return host.play(spec, observer)


class GameHost:
    """A host that plays games concurrently. As a context manager, it stops running games and ends all engines on exit.

    An engine that has played a game without a fault can be reused for later games.
    """

    def __init__(self, kept: int = 2) -> None:
        """Create a host that keeps up to ``kept`` engines running between games."""
        self._seats = SeatPool(kept)
        self._lock = threading.Lock()
        self._is_closed = False
        self._games: set[asyncio.Task[GameRecord]] = set()
        self._begun: Future[asyncio.AbstractEventLoop] = Future()
        self._thread = threading.Thread(target=self._run, name="games", daemon=True)

    def __enter__(self) -> GameHost:
        with shortage_of("a thread for the games"):
            self._thread.start()
            self._loop = self._begun.result()
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def play(self, spec: GameSpec, observer: Observer | None = None) -> GameRecord:
        """Play one game and return its record. Thread-safe.

        A game in which the referee was paused is played again. Ctrl-C ends only the wait; closing the host ends a game.

        :raises UnknownGameError, SetupError: if there is no such game, or its opening cannot be played.
        :raises ShortageError: if the machine has no room for the engines.
        :raises GameInterruptedError: if the host was closed before the game had ended.
        """
        while True:
            ended: SimpleQueue[Future[GameRecord]] = SimpleQueue()
            self.begin(spec, [observer] if observer else []).add_done_callback(ended.put)
            try:
                return take(ended).result()
            except PauseError:
                continue
            except CancelledError:
                raise GameInterruptedError("the game was stopped") from None

    def begin(
        self,
        spec: GameSpec,
        observers: Sequence[Observer] = (),
        played: Sequence[MoveRecord] = (),
        cpus: tuple[int, ...] = (),
    ) -> Future[GameRecord]:
        """Start one game and return a future for its record; cancelling it stops the game. Thread-safe.

        The future raises the same errors as :meth:`play`, and :class:`PauseError` if the referee was paused.

        :param played: the moves already made in an interrupted game, which continues after them.
        :param cpus: the processors that both engines can use; if empty, each engine's own setting applies.
        :raises GameInterruptedError: if the host was closed.
        """
        with self._lock:
            if self._is_closed:
                raise GameInterruptedError("the game was stopped")
            return asyncio.run_coroutine_threadsafe(self._play(spec, observers, played, cpus), self._loop)

    def close(self) -> None:
        """Stop the running games and end all engines. Thread-safe; can be called more than once."""
        with self._lock:
            if not self._is_closed:
                self._loop.call_soon_threadsafe(self._closing.set)
            self._is_closed = True
        self._thread.join()

    def _run(self) -> None:
        before = sys.getswitchinterval()
        sys.setswitchinterval(min(before, SWITCH_SECONDS))
        try:
            with asyncio.Runner(loop_factory=RefereeLoop) as runner:
                runner.run(self._serve())
        except OSError as error:
            if self._begun.done():
                raise
            self._begun.set_exception(error)
        finally:
            sys.setswitchinterval(before)

    async def _serve(self) -> None:
        """Wait until the host is closed, then cancel the running games and end all engines."""
        self._closing = asyncio.Event()
        self._begun.set_result(asyncio.get_running_loop())
        await self._closing.wait()
        games = set(self._games)
        for game in games:
            game.cancel()
        await asyncio.gather(*games, return_exceptions=True)
        await self._seats.end_all()

    async def _play(
        self, spec: GameSpec, observers: Sequence[Observer], played: Sequence[MoveRecord], cpus: tuple[int, ...]
    ) -> GameRecord:
        task = asyncio.current_task()
        assert task is not None
        self._games.add(task)
        try:
            with shortage_of("a game"):
                return await JudgedGame(spec, observers, played, cpus).play(self._seats)
        finally:
            self._games.discard(task)
