"""The event loop of the games: it knows what part of a delay is the referee's own, and charges it to no engine.

The kernel does not tell when a line arrived in a pipe, only that there is one. Until the referee looks, time passes in
which it was busy with other games, or waited for a processor that engines keep busy. None of that is the engine's.
"""

from __future__ import annotations

import asyncio
import os
import selectors
import time
from pathlib import Path

__all__ = ["ArrivalSelector", "RefereeLoop", "arrival_time"]

ACCOUNT = Path("/proc/thread-self/schedstat")  # nanoseconds on a processor, nanoseconds of waiting for one, and more


class ArrivalSelector(selectors.DefaultSelector):
    """Waits for pipes, and tells since when at the earliest there was something in those that it found ready.

    If the selector slept, something came when the kernel woke it: that is now, less the time for which its thread was
    ready to run and had no processor. If something was there when it looked, it came after the last look. It is to run
    in the thread that makes it.

    :ivar arrival: that moment for the pipes of the last :meth:`select`, in seconds of ``time.monotonic``.
    """

    def __init__(self) -> None:
        super().__init__()
        self._account = ACCOUNT.open("rb") if ACCOUNT.exists() else None  # some containers' kernels have none
        self._last_look = self.arrival = time.monotonic()

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        """Return what is ready within ``timeout`` seconds, and note its arrival."""
        now = time.monotonic()
        ready = super().select(0)
        if ready or timeout == 0:
            self.arrival, self._last_look = self._last_look, now
            return ready
        waited = self.waited()
        ready = super().select(timeout)
        self.arrival = self._last_look = max(now, time.monotonic() - (self.waited() - waited))
        return ready

    def waited(self) -> float:
        """Return for how many seconds the thread had no processor so far."""
        return 1e-9 * int(os.pread(self._account.fileno(), 64, 0).split()[1]) if self._account else 0.0

    def close(self) -> None:
        """Close the selector."""
        super().close()
        if self._account:
            self._account.close()


class RefereeLoop(asyncio.SelectorEventLoop):
    """An event loop with an :class:`ArrivalSelector`."""

    def __init__(self) -> None:
        self.arrivals = ArrivalSelector()
        super().__init__(self.arrivals)


def arrival_time() -> float:
    """Return when that arrived which the running loop is reading now."""
    loop = asyncio.get_running_loop()
    return loop.arrivals.arrival if isinstance(loop, RefereeLoop) else loop.time()
