"""The event loop of the games: it knows what part of a delay is the referee's own, and charges it to no engine.

The kernel does not tell when a line arrived in a pipe, only that there is one. Until the referee looks, time passes in
which it was busy with other games, or waited for a processor that engines keep busy. None of that is the engine's.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import selectors
import threading
import time
from collections.abc import Callable

__all__ = ["ArrivalSelector", "RefereeLoop", "arrival_time"]

NANOSECOND = 1e-9


class ArrivalSelector(selectors.DefaultSelector):
    """Waits for pipes, and tells since when at the earliest there was something in those that it found ready.

    If the selector slept, something came when the kernel woke it: that is now, less the time for which its thread was
    ready to run and had no processor. If something was there when it looked, it came after the last look.

    :ivar arrival: that moment for the pipes of the last :meth:`select`, in seconds of the clock.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic, waited: Callable[[], float] | None = None) -> None:
        """Take the time from ``clock``; ``waited`` counts the seconds for which the thread had no processor."""
        super().__init__()
        self._clock = clock
        self._waited = waited or (lambda: 0.0)
        self._last_look = self.arrival = clock()

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        """Return what is ready within ``timeout`` seconds, and note its arrival."""
        now = self._clock()
        ready = super().select(0)
        if ready or timeout == 0:
            self.arrival, self._last_look = self._last_look, now
            return ready
        waited = self._waited()
        ready = super().select(timeout)
        self.arrival = self._last_look = max(now, self._clock() - (self._waited() - waited))
        return ready


class RefereeLoop(asyncio.SelectorEventLoop):
    """An event loop with an :class:`ArrivalSelector`; it is to run in the thread that makes it."""

    _closed = True  # until the base class opens it: no file handle may be left for the selector

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        """Take the time from ``clock``, in seconds."""
        self._clock = clock
        self._scheduling = _open_scheduling()
        waited = None if self._scheduling is None else self._seconds_without_processor
        with contextlib.ExitStack() as opened:
            opened.callback(self._close_scheduling)
            self._arrivals = opened.enter_context(ArrivalSelector(clock, waited))
            opened.callback(asyncio.BaseEventLoop.close, self)
            super().__init__(self._arrivals)
            opened.pop_all()

    def time(self) -> float:
        """Return the time by which all that happens in this loop is judged."""
        return self._clock()

    @property
    def arrival(self) -> float:
        """When at the earliest that came which is being read now."""
        return self._arrivals.arrival

    def close(self) -> None:
        """Close the loop."""
        super().close()
        self._close_scheduling()

    def _close_scheduling(self) -> None:
        if self._scheduling is not None:
            os.close(self._scheduling)
            self._scheduling = None

    def _seconds_without_processor(self) -> float:
        if self._scheduling is None:  # while the loop is closed
            return 0.0
        return int(os.pread(self._scheduling, 64, 0).split()[1]) * NANOSECOND


def arrival_time() -> float:
    """Return when that arrived which the running loop is reading now."""
    loop = asyncio.get_running_loop()
    return loop.arrival if isinstance(loop, RefereeLoop) else loop.time()


def _open_scheduling() -> int | None:
    """Open Linux's account of this thread: nanoseconds on a processor, nanoseconds of waiting for one, and more."""
    with contextlib.suppress(OSError, ValueError, IndexError):
        descriptor = os.open(f"/proc/self/task/{threading.get_native_id()}/schedstat", os.O_RDONLY | os.O_CLOEXEC)
        try:
            int(os.pread(descriptor, 64, 0).split()[1])
        except BaseException:
            os.close(descriptor)
            raise
        return descriptor
    return None
