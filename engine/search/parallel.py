"""The searches of one answer, one for each thread: all of the same root, with one table.

They divide the work by what the table tells them: a search puts off a move that another one tries (ABDADA, Weill 1996),
and finds the value in the table when it comes back to it. There is no lock between them: whatever is lost costs time,
never a value. The first search to finish has the value, and the others are stopped.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from queue import SimpleQueue

from quietmove.engine.search.node import Search

WORTH_SHARING = 7  # plies from which a search takes longer than to set the other threads off


class Team:
    """Several searches of one position that behave as one search; a team of one runs in the caller's thread alone.

    :param searches: the first runs in the thread of the caller and looks at the clock, each other in one of its own.
    :ivar first: that search.
    :ivar shortage: why fewer threads search than were asked for; empty if none is missing.
    """

    def __init__(self, searches: Sequence[Search]) -> None:
        self.searches = tuple(searches)
        self.first = searches[0]
        self._others = self.searches[1:]
        self._lock = threading.Lock()  # guards _winner
        self._winner: tuple[Search, int] | None = None  # the search that has finished the last run, and its value
        self._failure: BaseException | None = None
        self._interrupted = False
        self.shortage = ""
        self._jobs: list[SimpleQueue[tuple[int, int, int, Sequence[int], bool] | None]] = []
        self._idle: SimpleQueue[Search] = SimpleQueue()  # the others that have ended their part of a run
        if self._others:
            counts = memoryview(bytearray(8 * len(searches))).cast("Q")
            for place, search in enumerate(searches):
                search.share(counts, place)

    @property
    def nodes(self) -> int:
        """Calls of ``make`` so far."""
        return sum(search.nodes for search in self.searches)

    @property
    def probes(self) -> int:
        """Table look-ups so far."""
        return sum(search.probes for search in self.searches)

    @property
    def hits(self) -> int:
        """Table look-ups that found the position."""
        return sum(search.hits for search in self.searches)

    @property
    def seldepth(self) -> int:
        """The deepest ply that a search has reached since :meth:`forget_depth`."""
        return max(search.seldepth for search in self.searches)

    @property
    def selectivity(self) -> int:
        """The selectivity of every search."""
        return self.first.selectivity

    @property
    def stopped(self) -> bool:
        """Whether the last run was cut off, so that its value is worthless."""
        return self.first.stopped

    def forget_depth(self) -> None:
        """Begin to count :attr:`seldepth` anew."""
        for search in self.searches:
            search.seldepth = 0

    def choose_selectivity(self, selectivity: int) -> None:
        """Search by this selectivity from now on."""
        for search in self.searches:
            search.choose_selectivity(selectivity)

    def limit_nodes(self, nodes: int) -> None:
        """Stop when all searches together have made so many nodes."""
        for search in self.searches:
            search.limit_nodes(nodes)

    def play(self, move: int) -> None:
        """Make a legal move in the position of every search."""
        for search in self.searches:
            search.position.play(move)

    def undo(self) -> None:
        """Take the last move back in the position of every search."""
        for search in self.searches:
            search.position.undo()

    def stop(self) -> None:
        """End a run as soon as possible, and let no other begin; from any thread, at any time.

        All are told at once: where the processors are busy, each thread waits for one, and not after another.
        """
        self._interrupted = True
        for search in self.searches:
            search.stop()

    def look_at_clock(self) -> None:
        """Let the first search ask at its next node whether time is up; from any thread."""
        self.first.look_at_clock()

    def run(self, depth: int, alpha: int, beta: int, root_moves: Sequence[int], whole: bool) -> int:
        """Search the root and return its value, as :meth:`Search.run` does.

        :raises BaseException: whatever one of the searches raised.
        """
        self._winner = None
        if not self._others or depth < WORTH_SHARING or self._interrupted:
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
        """Return the principal variation of the last run; empty if it failed low."""
        assert self._winner is not None, "a run that was cut off has no line"
        return self._winner[0].line()

    def finished_moves(self) -> list[int]:
        """Return the moves of the root that the last run has searched, if it was cut off; none with more threads."""
        return [] if self._others else self.first.finished_moves()

    def close(self) -> None:
        """End the threads; none of them is in a run."""
        for jobs in self._jobs:
            jobs.put(None)
        self._jobs = []

    def _start_threads(self) -> None:
        """Start a thread for each of the other searches, if there is none; those without one are left out."""
        if self._jobs:
            return
        for search in self._others:
            jobs: SimpleQueue[tuple[int, int, int, Sequence[int], bool] | None] = SimpleQueue()
            helper = threading.Thread(target=self._help, args=(search, jobs), name="search helper", daemon=True)
            try:
                helper.start()
            except RuntimeError as error:
                started = len(self._jobs)
                wanted = len(self._others)
                self.shortage = f"option Threads: {started + 1} of {wanted + 1} threads search, no more start: {error}"
                self._others = self._others[:started]
                self.searches = (self.first, *self._others)
                return
            self._jobs.append(jobs)

    def _value_of_winner(self, value: int) -> int:
        """Return the value of the search that finished first; ``value``, which is worthless, if none did."""
        if self._winner is None:
            return value
        winner, value = self._winner
        if winner is not self.first:  # the winner has stopped it
            self.first.stopped = False
            if self._interrupted:  # stop() came at the same time, perhaps too early for the line above
                self.first.stopped = True
        return value

    def _help(self, search: Search, jobs: SimpleQueue[tuple[int, int, int, Sequence[int], bool] | None]) -> None:
        """Take part in one run after another."""
        while (job := jobs.get()) is not None:
            try:
                value = search.run(*job)
                if not search.stopped:
                    self._finish(search, value)
            except BaseException as error:  # run() raises it, in the thread that can report it
                self._failure = error
                self.first.stop()
            self._idle.put(search)

    def _finish(self, search: Search, value: int) -> None:
        """Take the value of a search that has finished, and stop the others, unless another one was first."""
        with self._lock:
            if self._winner is None:
                self._winner = search, value
                for other in self.searches:
                    if other is not search:
                        other.stop()
