"""Run games concurrently, and fewer at a time if the machine runs out of resources."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import Future
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from queue import Empty, SimpleQueue
from typing import Generic, Protocol, TypeVar

from quietmove.engine.common.entry import take
from quietmove.engine.common.processors import usable_processors
from quietmove.engine.protocol.describe import pluralize
from quietmove.referee.config.model import COLORS, GameSpec
from quietmove.referee.errors import PauseError, ShortageError, StartError
from quietmove.referee.game.host import GameHost
from quietmove.referee.game.record import GameRecord, MoveRecord, Observer
from quietmove.referee.process.shortage import Notice, allow_files, ignore_notice

Key = TypeVar("Key")

RESIZE_SECONDS = 1.0  # seconds between checks of the size of a pool that can change


@dataclass(frozen=True, slots=True)
class Pool:
    """A pool that plays games.

    :param size: the number of games that can run concurrently.
    :param begin: a function that starts or continues a game; observers are called only if it runs in this process.
    :param resized: a function that returns the current size, if machines come and go, or None if the size is fixed.
    :param ahead: a function that takes the number of games that can run concurrently and returns how many more to
        queue, or None if games cannot be queued. Queued games can be cancelled until they start.
    """

    size: int
    begin: Callable[[GameSpec, Sequence[Observer], Sequence[MoveRecord]], Future[GameRecord]]
    resized: Callable[[], int] | None = None
    ahead: Callable[[int], int] | None = None


def fitting_games(requested: int, notice: Notice = ignore_notice, *, forced: bool = False) -> int:
    """Return the number of games that can run concurrently on this machine: one per processor, or any if ``forced``.

    :param notice: called with a message if there are fewer processors than requested games.
    """
    size = requested if forced else min(requested, len(usable_processors()))
    if size < requested:
        games = f"{pluralize(size, 'game')} at a time, not {requested}: one per processor"
        notice(f"{games}, because engines that share one play worse; --force-concurrency plays {requested}")
    return size


class Leases(Protocol):
    """The processors of this machine, which are reserved one per game."""

    def lease(self) -> int | None:
        """Reserve a processor and return its number, or None if none is free."""

    def release(self, core: int) -> None:
        """Release a processor."""

    def size(self) -> int:
        """Return the number of games that can have a processor now, including those that already have one."""


@contextmanager
def local_pool(size: int, cores: Leases | None = None, *, pinned: bool = False) -> Iterator[Pool]:
    """Provide a pool of ``size`` games on this machine. On exit, stop the running games and end their engines.

    :param cores: the processors; both engines of a game share one. If None, they run on all processors.
    :param pinned: whether to divide this machine's processors evenly among the games; there must be one for each.
    :raises ShortageError: if there is no room for a single game.
    """
    allow_files(size)
    with GameHost(kept=2 * size) as host:
        if pinned:
            yield Pool(size, _pinned(host, size))
            return
        if cores is None:
            yield Pool(size, host.begin)
            return
        leases = cores

        def begin(spec: GameSpec, observers: Sequence[Observer], played: Sequence[MoveRecord]) -> Future[GameRecord]:
            if (core := leases.lease()) is None:  # an engine check has just taken the processor
                return host.begin(spec, observers, played)
            future = host.begin(spec, observers, played, (core,))
            future.add_done_callback(lambda _: leases.release(core))
            return future

        yield Pool(size, begin, lambda: min(size, leases.size()))


def _pinned(
    host: GameHost, size: int
) -> Callable[[GameSpec, Sequence[Observer], Sequence[MoveRecord]], Future[GameRecord]]:
    """Return a function that starts a game on processors that no other game has, until it ends."""
    usable = sorted(usable_processors())
    width = len(usable) // size
    free: SimpleQueue[tuple[int, ...]] = SimpleQueue()
    for first in range(0, width * size, width):
        free.put(tuple(usable[first : first + width]))

    def begin(spec: GameSpec, observers: Sequence[Observer], played: Sequence[MoveRecord]) -> Future[GameRecord]:
        processors = free.get_nowait()
        future = host.begin(spec, observers, played, processors)
        future.add_done_callback(lambda _: free.put(processors))
        return future

    return begin


class RunningGames(Generic[Key]):
    """The games running in a pool.

    If the machine has no room for a game, the caller must restart it, and fewer games run from then on. A game during
    which the referee was paused must also be restarted.

    :param of_two: whether all games are between the same two engines. If so, a game in which an engine fails to start
        is restarted once; a second failure means that the engine is broken.
    """

    def __init__(self, pool: Pool, notice: Notice = ignore_notice, *, of_two: bool = False) -> None:
        self._pool = pool
        self._of_two = of_two
        self._unstarted: set[Key] = set()  # games in which an engine failed to start
        self._notice = notice
        self._pause = ""  # the last pause mentioned in a notice
        self._lost = 0  # the number of concurrent games for which the machine had no room
        # Maps a future to the game's key and the pool size when the game started.
        self._running: dict[Future[GameRecord], tuple[Key, int]] = {}
        self._ended: SimpleQueue[Future[GameRecord]] = SimpleQueue()  # faster than waiting for thousands of futures

    @property
    def size(self) -> int:
        """The number of games that can run concurrently now."""
        places = self._pool.size if self._pool.resized is None else self._pool.resized()
        return max(1, places - self._lost)

    @property
    def free(self) -> int:
        """The number of games that can be started now."""
        size = self.size
        ahead = 0 if self._pool.ahead is None else self._pool.ahead(size)
        return max(0, size + ahead - len(self._running))

    def __len__(self) -> int:
        return len(self._running)

    def begin(
        self, key: Key, spec: GameSpec, observers: Sequence[Observer] = (), played: Sequence[MoveRecord] = ()
    ) -> None:
        """Start a game, or continue one after the moves ``played``; call ``observers`` if the pool supports it."""
        future = self._pool.begin(spec, observers, played)
        self._running[future] = key, self.size
        future.add_done_callback(self._ended.put)

    def withdraw(self) -> None:
        """Cancel the games queued in the pool."""
        if self._pool.ahead is not None:
            for future in [each for each in self._running if each.cancel()]:
                del self._running[future]

    def completed(self) -> Iterator[tuple[Key, Future[GameRecord] | None]]:
        """Wait for a game to end; yield the key of each ended game, with its future or, if it must be restarted, None.

        If the pool's size can change, this may yield nothing, so that the caller can start more games.

        :raises ShortageError: if the machine has no room even for a single game.
        :raises StartError: if one of two engines failed to start twice in one game.
        """
        can_resize = self._pool.resized is not None
        done: list[Future[GameRecord]] = []
        with suppress(Empty):
            done.append(self._ended.get(timeout=RESIZE_SECONDS) if can_resize else take(self._ended))
            while True:
                done.append(self._ended.get_nowait())
        shortage = pause = None
        for future in filter(self._running.__contains__, done):  # the others were withdrawn
            key, size = self._running.pop(future)
            error = None if future.cancelled() else future.exception()
            if isinstance(error, PauseError):
                pause = error
                yield key, None
                continue
            if not isinstance(error, ShortageError):
                again = error is None and not future.cancelled() and self._is_unstarted(key, future.result())
                yield key, None if again else future
                continue
            if size == 1:
                raise error
            shortage = error
            self._lost += self.size > 1
            yield key, None
        if shortage is not None:
            self._notice(f"{pluralize(self.size, 'game')} at a time from now on: {shortage}")
        if pause is not None and self._pause != str(pause):  # games hit by the same pause end one by one
            self._pause = str(pause)
            self._notice(f"playing games again: {pause}")

    def _is_unstarted(self, key: Key, record: GameRecord) -> bool:
        """Return whether an engine failed to start, so that the game is restarted; raise StartError the second time."""
        if record.started or not self._of_two:
            return False
        if key in self._unstarted:
            raise StartError(f"engine: failed to start twice: {record.detail}")
        self._unstarted.add(key)
        self._notice(f"restarting a game: {record.detail}")
        return True


def play_series(
    specs: Sequence[GameSpec], concurrency: int, notice: Notice = ignore_notice
) -> Generator[tuple[int, GameRecord], None, None]:
    """Play all games, ``concurrency`` at a time, and yield each with its index in ``specs`` as it ends.

    If the iterator is closed or its consumer is interrupted, the running games are stopped.

    :param notice: called with a message when fewer games can run concurrently.
    :raises ShortageError: if there is no room for a single game.
    :raises StartError: if all games are between two engines and one of them failed to start twice in one game.
    """
    of_two = len({spec.player(color).name for spec in specs for color in COLORS}) == len(COLORS)
    with local_pool(concurrency) as pool:
        running: RunningGames[int] = RunningGames(pool, notice, of_two=of_two)
        waiting = deque(range(len(specs)))
        while waiting or running:
            for _ in range(min(running.free, len(waiting))):
                index = waiting.popleft()
                running.begin(index, specs[index])
            for index, future in running.completed():
                if future is None:
                    waiting.appendleft(index)
                else:
                    yield index, future.result()
