"""A dialect in which lines that come while the engine thinks wait for their turn, with the time of their arrival."""

from __future__ import annotations

import time
from abc import abstractmethod
from collections import deque
from collections.abc import Callable

from quietmove.engine.errors import QuietmoveError
from quietmove.engine.protocol.dialect import Dialect
from quietmove.engine.values import Limits, SearchResult

__all__ = ["QueuedDialect"]


class QueuedDialect(Dialect):
    """One conversation: each line is answered before the next is read.

    :cvar clock: seconds from any origin.
    """

    clock = staticmethod(time.perf_counter)

    def open(self) -> None:
        """Begin with no line that waits."""
        self._waiting: deque[tuple[str, float]] = deque()
        self._thinking = False
        self._ended = False

    @abstractmethod
    def take(self, line: str, arrival: float) -> None:
        """Carry out a line, which came at the time ``arrival``; it may begin to :meth:`think`."""

    def handle(self, line: str) -> None:
        """Carry out a line; while the engine thinks it waits."""
        self._waiting.append((line, self.clock()))
        self._read_on()

    def end(self) -> None:
        """Answer the lines that wait, with searches that stop at once."""
        self._ended = True
        self._cut_short()
        self._read_on()

    def think(
        self, limits: Limits, answer: Callable[[SearchResult], None], failed: Callable[[Exception], None]
    ) -> None:
        """Search; when that has ended, call ``answer`` and read on.

        :param failed: is told why a search could not go on; ``answer`` follows in any case.
        :raises QuietmoveError: if the search cannot begin.
        """

        def finish(result: SearchResult) -> None:
            self._thinking = False
            answer(result)
            self._read_on()

        self._thinking = True
        try:
            self.session.go(limits, ignore, lambda result: self._post(lambda: finish(result)), failed)
        except QuietmoveError:
            self._thinking = False
            raise
        if self._ended:
            self._cut_short()

    def _read_on(self) -> None:
        """Take the lines that wait, one after another, until the engine must think."""
        while self._waiting and not self._thinking and not self.over:
            self.take(*self._waiting.popleft())
        if self._ended and not self._thinking:
            self.over = True

    def _cut_short(self) -> None:
        """Stop a search that runs; one that does not stop is given up."""
        if not self.session.close():
            self.over = True


def ignore(_: object) -> None:
    """Ignore a report."""
