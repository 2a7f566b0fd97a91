"""Several games at once, and fewer where the machine has no room for as many."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import Future
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from queue import Empty, SimpleQueue
from typing import Generic, Protocol, TypeVar

from quietmove.engine.protocol.describe import pluralize
from quietmove.referee.config.model import COLORS, GameSpec
from quietmove.referee.errors import PauseError, ShortageError, StartError
from quietmove.referee.game.host import GameHost
from quietmove.referee.game.record import GameRecord, MoveRecord, Observer
from quietmove.referee.process.shortage import Notice, allow_files, ignore_notice

Key = TypeVar("Key")

RESIZE_SECONDS = 1.0  # the pause between two questions for the size of a pool that changes


@dataclass(frozen=True, slots=True)
class Pool:
    """Where games are played.

    :param size: how many games to hand out at once.
    :param begin: begins a game, or goes on after some moves of one; the observers are told of it where it is played in
        this process.
    :param resized: asked for the size anew, where machines come and go; ``None`` where it stays.
    :param ahead: told how many games may run at once, answers how many more to hand out, which wait in the pool; they
        can be cancelled until they run. ``None`` where none may wait.
    """

    size: int
    begin: Callable[[GameSpec, Sequence[Observer], Sequence[MoveRecord]], Future[GameRecord]]
    resized: Callable[[], int] | None = None
    ahead: Callable[[int], int] | None = None


class Leases(Protocol):
    """The processors of this machine, of which each game has one."""

    def lease(self) -> int | None:
        """Return a processor that nobody else uses from now on; None if there is none."""

    def release(self, core: int) -> None:
        """Let others use a processor."""

    def size(self) -> int:
        """Return how many games may have one now, those that have one among them."""


@contextmanager
def local_pool(size: int, cores: Leases | None = None) -> Iterator[Pool]:
    """Play ``size`` games at once on this machine; leaving the block stops those that still run and ends their engines.

    :param cores: the processors, of which both engines of a game share one; without them they run on all.
    :raises ShortageError: if there is no room for a single game.
    """
    allow_files(size)
    with GameHost(kept=2 * size) as host:
        if cores is None:
            yield Pool(size, host.begin)
            return
        leases = cores

        def begin(spec: GameSpec, observers: Sequence[Observer], played: Sequence[MoveRecord]) -> Future[GameRecord]:
            if (core := leases.lease()) is None:  # an examination took it a moment ago
                return host.begin(spec, observers, played)
            future = host.begin(spec, observers, played, (core,))
            future.add_done_callback(lambda _: leases.release(core))
            return future

        yield Pool(size, begin, lambda: min(size, leases.size()))


class RunningGames(Generic[Key]):
    """The games that run in a pool.

    A game comes back, to be begun again, if the machine had no room for it; fewer games run from then on. A game in
    which the referee stood still comes back too.

    :param of_two: whether all games are between the same two engines. Then a game in which one of them did not start
        comes back once; if that happens to it again, the engine is taken to be broken.
    """

    def __init__(self, pool: Pool, notice: Notice = ignore_notice, *, of_two: bool = False) -> None:
        self._pool = pool
        self._of_two = of_two
        self._unstarted: set[Key] = set()  # games in which an engine did not start
        self._notice = notice
        self._pause = ""  # the text of the last pause that a notice has told
        self._lost = 0  # the number of games at once for which the machine had no room
        # The future of a record leads to the game's key, and to the size of the pool when the game was begun.
        self._running: dict[Future[GameRecord], tuple[Key, int]] = {}
        self._ended: SimpleQueue[Future[GameRecord]] = SimpleQueue()  # a wait for thousands of futures takes longer

    @property
    def size(self) -> int:
        """How many games may run at once now."""
        places = self._pool.size if self._pool.resized is None else self._pool.resized()
        return max(1, places - self._lost)

    @property
    def free(self) -> int:
        """How many games may be begun now."""
        size = self.size
        ahead = 0 if self._pool.ahead is None else self._pool.ahead(size)
        return max(0, size + ahead - len(self._running))

    def __len__(self) -> int:
        return len(self._running)

    def begin(
        self, key: Key, spec: GameSpec, observers: Sequence[Observer] = (), played: Sequence[MoveRecord] = ()
    ) -> None:
        """Begin a game, or go on with one after the moves ``played``; ``observers`` are told where that is possible."""
        future = self._pool.begin(spec, observers, played)
        self._running[future] = key, self.size
        future.add_done_callback(self._ended.put)

    def withdraw(self) -> None:
        """Take back the games that wait in the pool."""
        if self._pool.ahead is not None:
            for future in [each for each in self._running if each.cancel()]:
                del self._running[future]

    def completed(self) -> Iterator[tuple[Key, Future[GameRecord] | None]]:
        """Wait until a game has ended; yield all that have, or None for one that must be begun again.

        None may have ended where the size of the pool changes: then there may be more to begin.

        :raises ShortageError: if the machine has no room for a game that was alone.
        :raises StartError: if one of two engines did not start, twice in one game.
        """
        patience = None if self._pool.resized is None else RESIZE_SECONDS
        done: list[Future[GameRecord]] = []
        with suppress(Empty):
            done.append(self._ended.get(timeout=patience))
            while True:
                done.append(self._ended.get_nowait())
        shortage = pause = None
        for future in filter(self._running.__contains__, done):  # others were withdrawn
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
            self._notice(f"{pluralize(self.size, 'game')} at once from now on: {shortage}")
        if pause is not None and self._pause != str(pause):  # the games in one pause end one by one
            self._pause = str(pause)
            self._notice(f"games are played again: {pause}")

    def _is_unstarted(self, key: Key, record: GameRecord) -> bool:
        """Tell whether one of two engines did not start, so that the game is to be begun again.

        :raises StartError: if it is the second time.
        """
        if record.started or not self._of_two:
            return False
        if key in self._unstarted:
            raise StartError(f"engine: must start, not fail twice: {record.detail}")
        self._unstarted.add(key)
        self._notice(f"a game is begun again: {record.detail}")
        return True


def play_series(
    specs: Sequence[GameSpec], concurrency: int, notice: Notice = ignore_notice
) -> Generator[tuple[int, GameRecord], None, None]:
    """Play all games, ``concurrency`` at once, and yield each with its index in ``specs`` as it ends.

    When the iterator is closed, or its consumer is interrupted, the running games are stopped.

    :param notice: a function that is called with a sentence if there is room for fewer games at once.
    :raises ShortageError: if there is no room for a single one.
    :raises StartError: if one of two engines, who play all games, did not start, twice in one game.
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
