"""Parallel search: several threads search the same root and share one table.

They divide the work through the table: a search postpones a move that another one is trying (ABDADA, Weill 1996), and
finds its value in the table when it returns to it. They use no locks: lost updates cost time, but never change a value.
The first search to finish provides the value, and the others are stopped.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from queue import SimpleQueue

from quietmove.engine.search.node import SHARED_REMAINING, Search

WORTH_SHARING = 7  # minimum depth at which a search takes longer than starting the other threads


class Team:
    """Several searches of one position that act as a single search. A team of one runs only in the caller's thread.

    :param searches: the first runs in the caller's thread and checks the clock, the others in threads of their own.
    :ivar first: the first search.
    :ivar shortage: the reason why fewer threads search than requested, or "".
    """

    def __init__(self, searches: Sequence[Search]) -> None:
        self.searches = tuple(searches)
        self.first = searches[0]
        self._others = self.searches[1:]
        self._lock = threading.Lock()  # guards _winner
        self._winner: tuple[Search, int] | None = None  # the first search to finish the last run, and its value
        self._failure: BaseException | None = None
        self._interrupted = False
        self.shortage = ""
        self._jobs: list[SimpleQueue[tuple[int, int, int, Sequence[int], bool] | None]] = []
        self._idle: SimpleQueue[Search] = SimpleQueue()  # the other searches that have finished their part of a run
        if self._others:
            counts = memoryview(bytearray(8 * len(searches))).cast("Q")
            for place, search in enumerate(searches):
                search.share(counts, place, self.first.position)

    @property
    def nodes(self) -> int:
        """Calls of ``make`` so far."""
        return sum(search.nodes for search in self.searches)

    @property
    def probes(self) -> int:
        """Table lookups so far."""
        return sum(search.probes for search in self.searches)

    @property
    def hits(self) -> int:
        """Table lookups that found the position."""
        return sum(search.hits for search in self.searches)

    @property
    def seldepth(self) -> int:
        """The deepest ply reached by any search since :meth:`forget_depth`."""
        return max(search.seldepth for search in self.searches)

    @property
    def selectivity(self) -> int:
        """The selectivity of all searches."""
        return self.first.selectivity

    @property
    def stopped(self) -> bool:
        """Whether the last run was interrupted, so that its value is invalid."""
        return self.first.stopped

    def forget_depth(self) -> None:
        """Reset :attr:`seldepth`."""
        for search in self.searches:
            search.seldepth = 0

    def choose_selectivity(self, selectivity: int) -> None:
        """Set the selectivity for the following runs."""
        for search in self.searches:
            search.choose_selectivity(selectivity)

    def limit_nodes(self, nodes: int) -> None:
        """Stop when all searches together have reached this number of nodes."""
        for search in self.searches:
            search.limit_nodes(nodes)

    def play(self, move: int) -> None:
        """Play a legal move in the position of every search."""
        for search in self.searches:
            search.position.play(move)

    def undo(self) -> None:
        """Take back the last move in the position of every search."""
        for search in self.searches:
            search.position.undo()

    def stop(self) -> None:
        """Stop the run as soon as possible, and prevent further ones. Thread-safe.

        All searches are notified first, so that the threads stop in parallel, even on a busy machine.
        """
        self._interrupted = True
        for search in self.searches:
            search.stop()

    def look_at_clock(self) -> None:
        """Make the first search check the clock at its next node. Thread-safe."""
        self.first.look_at_clock()

    def run(self, depth: int, alpha: int, beta: int, root_moves: Sequence[int], whole: bool) -> int:
        """Search the root and return its value, as :meth:`Search.run` does.

        :raises BaseException: whatever one of the searches raised.
        """
        self._winner = None
        is_short = depth < WORTH_SHARING or self.first.position.moves_left() < SHARED_REMAINING
        if not self._others or is_short or self._interrupted:
            value = self.first.run(depth, alpha, beta, root_moves, whole)
            self._winner = self.first, value
            return value
        job = (depth, alpha, beta, root_moves, whole)
        self._start_threads()
        for search, jobs in zip(self._others, self._jobs, strict=True):
            search.stopped = False
            jobs.put(job)
        try:
            value = self.first.run(*job)
            if not self.first.stopped:
                self._finish(self.first, value)
        finally:
            for search in self._others:
                search.stop()
            for _ in self._others:
                self._idle.get()
        if self._failure is not None:
            raise self._failure
        return self._value_of_winner(value)

    def line(self) -> list[int]:
        """Return the principal variation of the last run, or [] if it failed low."""
        assert self._winner is not None, "a run that was cut off has no line"
        return self._winner[0].line()

    def finished_moves(self) -> list[int]:
        """Return the root moves that the last run completed before it was interrupted, or [] with several threads."""
        return [] if self._others else self.first.finished_moves()

    def close(self) -> None:
        """End the threads, which must not be running a search."""
        for jobs in self._jobs:
            jobs.put(None)
        self._jobs = []

    def _start_threads(self) -> None:
        """Start the threads of the other searches unless they are running; drop searches without a thread."""
        if self._jobs:
            return
        for search in self._others:
            jobs: SimpleQueue[tuple[int, int, int, Sequence[int], bool] | None] = SimpleQueue()
            helper = threading.Thread(target=self._worker_loop, args=(search, jobs), name="search helper", daemon=True)
            try:
                helper.start()
            except RuntimeError as error:
                started = len(self._jobs)
                wanted = len(self._others)
                self.shortage = f"option Threads: only {started + 1} of {wanted + 1} threads could be started: {error}"
                self._others = self._others[:started]
                self.searches = (self.first, *self._others)
                return
            self._jobs.append(jobs)

    def _value_of_winner(self, value: int) -> int:
        """Return the value of the search that finished first, or the invalid ``value`` if none did."""
        if self._winner is None:
            return value
        winner, value = self._winner
        if winner is not self.first:  # the winner stopped it
            self.first.stopped = False
            if self._interrupted:  # stop() was called at the same time, perhaps before the line above
                self.first.stopped = True
        return value

    def _worker_loop(self, search: Search, jobs: SimpleQueue[tuple[int, int, int, Sequence[int], bool] | None]) -> None:
        """Run queued search jobs until ``None`` arrives."""
        while (job := jobs.get()) is not None:
            try:
                value = search.run(*job)
                if not search.stopped:
                    self._finish(search, value)
            except BaseException as error:  # run() raises it in the caller's thread
                self._failure = error
                self.first.stop()
            self._idle.put(search)

    def _finish(self, search: Search, value: int) -> None:
        """Record the value of the first search to finish, and stop the others."""
        with self._lock:
            if self._winner is None:
                self._winner = search, value
                for other in self.searches:
                    if other is not search:
                        other.stop()
