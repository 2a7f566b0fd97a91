"""Code shared by all searches: limits on nodes and time, and errors raised by a game."""

from __future__ import annotations

from collections.abc import Callable

import cython

from quietmove.engine.games.base import Position, SearchMonitor

POLL = cython.declare(cython.int, 2048)  # maximum number of nodes between two checks of the clock
LOOK_MICROSECONDS = cython.declare(cython.int, 2000)  # target time between two checks of the clock if nodes are slow


class LimitedSearch(SearchMonitor):
    """A search that stops at its node limit, when time is up, or when the game fails.

    :param position: searched in place and restored.
    :param expired: called at regular intervals to check whether time is up, or None for no clock.
    :param now: the clock used by ``expired``, in seconds from an arbitrary origin; it determines how often to check.
    :ivar node_limit: the maximum number of nodes; the search stops before exceeding it.
    """

    def __init__(self, position: Position, expired: Callable[[], bool] | None, now: Callable[[], float]) -> None:
        super().__init__()
        self.position = position
        self.expired = expired
        self.failure: BaseException | None = None
        self.node_limit = 1 << 62
        self.pause = POLL
        self.now = now
        self.looked = now()

    def stop(self) -> None:
        """Stop the search at its next poll. Thread-safe."""
        self.stopped = True
        self.next_poll = 0

    def limit_nodes(self, nodes: int) -> None:
        """Set the total number of nodes, including those so far, at which to stop."""
        self.node_limit = nodes
        self.next_poll = 0

    def look_at_clock(self) -> None:
        """Check at the next node whether time is up. Thread-safe."""
        self.next_poll = 0

    def raise_failure(self) -> None:
        """Raise the exception raised by ``expired`` or by the position, if any."""
        if self.failure is not None:
            raise self.failure
        self.position.check()

    def counted(self) -> cython.ulonglong:
        """Return the number of nodes that count towards the node limit."""
        return self.nodes

    def poll(self) -> None:
        if self.counted() >= self.node_limit:
            self.stopped = True
        if not self.stopped and self.expired is not None:
            with cython.gil:
                try:
                    self.position.check()
                    if self.expired():
                        self.stopped = True
                    self.pace(self.now())
                except BaseException as error:  # including KeyboardInterrupt; run() raises it
                    self.failure = error
                    self.stopped = True
        if self.stopped:
            self.next_poll = 0
        else:
            self.next_poll = min(self.nodes + (1 if self.position.slow else self.pause), self.node_limit)

    def pace(self, now: cython.double) -> None:
        """Choose the number of nodes until the next check of the clock, from the time since the last check."""
        passed: cython.double = 1e6 * (now - self.looked)  # microseconds
        if passed > LOOK_MICROSECONDS:
            self.pause = max(1, cython.cast(cython.int, self.pause * LOOK_MICROSECONDS / passed))
        else:
            self.pause = min(POLL, 2 * self.pause)
        self.looked = now
