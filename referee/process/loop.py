"""The event loop of the games: it knows what part of a delay is the referee's own, and charges it to no engine.

The kernel does not tell when a line arrived in a pipe, only that there is one. Until the referee looks, time passes in
which it was busy with other games, or waited for a processor that engines keep busy. None of that is the engine's.
"""

from __future__ import annotations

import asyncio
import os
import selectors
import threading
import time
from collections.abc import Callable
from pathlib import Path

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

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        """Take the time from ``clock``, in seconds."""
        self._clock = clock
        account = Path(f"/proc/self/task/{threading.get_native_id()}/schedstat")
        self._scheduling = account.open("rb") if account.exists() else None  # some containers' kernels have none
        self._arrivals = ArrivalSelector(clock, self._seconds_without_processor)
        super().__init__(self._arrivals)

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
        if self._scheduling is not None:
            self._scheduling.close()

    def _seconds_without_processor(self) -> float:
        """Read Linux's account of this thread: nanoseconds on a processor, nanoseconds of waiting for one, and more."""
        if self._scheduling is None:
            return 0.0
        return int(os.pread(self._scheduling.fileno(), 64, 0).split()[1]) * NANOSECOND


def arrival_time() -> float:
    """Return when that arrived which the running loop is reading now."""
    loop = asyncio.get_running_loop()
    return loop.arrival if isinstance(loop, RefereeLoop) else loop.time()
