"""What every search has in common: its limits of nodes and time, and what goes wrong in a game."""

from __future__ import annotations

from collections.abc import Callable

import cython

from quietmove.engine.games.base import Position, Watch

POLL = cython.declare(cython.int, 2048)  # nodes between two looks at the clock, at most
LOOK_MICROSECONDS = cython.declare(cython.int, 2000)  # between two looks at the clock, where nodes are slow


class LimitedSearch(Watch):
    """A search that stops at its node limit, when time is up, or when the game fails.

    :param position: searched in place and restored.
    :param expired: asked every few thousand nodes whether time is up; None to look at no clock.
    :param now: the clock that ``expired`` looks at, in seconds from any origin: it sets the pace of the looks.
    :ivar node_limit: the search stops before it exceeds this.
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
        """End the search, within the nodes until it next polls; from any thread, at any time."""
        self.stopped = True
        self.next_poll = 0

    def limit_nodes(self, nodes: int) -> None:
        """Stop at this number of nodes, those so far included."""
        self.node_limit = nodes
        self.next_poll = 0

    def look_at_clock(self) -> None:
        """Ask at the next node whether time is up; from any thread, at any time."""
        self.next_poll = 0

    def raise_failure(self) -> None:
        """Raise what ``expired`` or the position has raised, if anything."""
        if self.failure is not None:
            raise self.failure
        self.position.check()

    def counted(self) -> cython.ulonglong:
        """Return the nodes that count for the node limit."""
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
                except BaseException as error:  # an interrupt from the keyboard too; run() raises it
                    self.failure = error
                    self.stopped = True
        if self.stopped:
            self.next_poll = 0
        else:
            self.next_poll = min(self.nodes + (1 if self.position.slow else self.pause), self.node_limit)

    def pace(self, now: cython.double) -> None:
        """Choose the number of nodes to the next look at the clock, by the time since the last."""
        passed: cython.double = 1e6 * (now - self.looked)  # microseconds
        if passed > LOOK_MICROSECONDS:
            self.pause = max(1, cython.cast(cython.int, self.pause * LOOK_MICROSECONDS / passed))
        else:
            self.pause = min(POLL, 2 * self.pause)
        self.looked = now
