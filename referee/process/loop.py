"""The games' event loop. It measures the delays that the referee causes itself, so that no engine is charged for them.

The kernel does not report when a line arrived in a pipe, only that there is one. Engines are not charged for the time
in which the referee was busy with other games, or waited for a processor that engines occupy, before it read the line.

A paused referee (Ctrl-Z, a frozen container, a suspended machine) cannot tell when a line arrived. The loop detects its
pauses, and a game whose clock ran during one has no result.
"""

from __future__ import annotations

import asyncio
import os
import selectors
import time
from pathlib import Path

ACCOUNT = Path("/proc/thread-self/schedstat")  # nanoseconds running, nanoseconds waiting for a processor, and more
LOOK_SECONDS = 0.1  # longest sleep of one select, so that little of a pause is mistaken for sleep
PAUSE_SECONDS = 0.2  # shorter gaps are ignored, since a thread may wait for the GIL or for a page of memory


class ArrivalSelector(selectors.DefaultSelector):
    """A selector for pipes that reports the earliest time at which data may have arrived in the ready ones.

    If the selector slept, data arrived when the kernel woke it: at the current time minus the time its thread was
    runnable without a processor. If data was already there when select began, it arrived after the previous select. A
    selector must run in the thread that created it.

    :ivar arrival: the arrival time for the pipes of the last :meth:`select`, in seconds of ``time.monotonic``.
    """

    def __init__(self) -> None:
        super().__init__()
        self._account = ACCOUNT.open("rb") if ACCOUNT.exists() else None  # missing in some containers
        self._last_look = self.arrival = time.monotonic()
        self._paused = self._slept = 0.0
        self._account_at, self._used = self._last_look, sum(self.account())

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        """Return the pipes that are ready within ``timeout`` seconds, and record their arrival time."""
        now = time.monotonic()
        ready = super().select(0)
        if ready or timeout == 0:
            if now - self._account_at > LOOK_SECONDS:  # the short waits of a busy loop are not pauses
                self._settle(now, sum(self.account()))
            self.arrival, self._last_look = self._last_look, now
            return ready
        _, waited = self.account()
        timeout = LOOK_SECONDS if timeout is None else min(timeout, LOOK_SECONDS)
        ready = super().select(timeout)
        used = self.account()
        end = time.monotonic()
        self.arrival = self._last_look = max(now, end - (used[1] - waited))
        self._slept += min(timeout, self.arrival - now)
        self._settle(end, sum(used))
        return ready

    def paused(self) -> float:
        """Return the total time in seconds in which the thread did not run, sleep in select or wait for a processor."""
        self._settle(time.monotonic(), sum(self.account()))
        return self._paused

    def _settle(self, now: float, used: float) -> None:
        """Add the time since the last call to the pauses if the thread neither used it nor slept through it.

        :param used: the total time the thread has run or waited for a processor, in seconds.
        """
        away = now - self._account_at - (used - self._used) - self._slept
        if away > PAUSE_SECONDS:
            self._paused += away
        self._account_at, self._used, self._slept = now, used, 0.0

    def account(self) -> tuple[float, float]:
        """Return the total times in seconds for which the thread has run and has waited for a processor."""
        if self._account is None:
            return time.thread_time(), 0.0
        ran, waited = os.pread(self._account.fileno(), 64, 0).split()[:2]
        return 1e-9 * int(ran), 1e-9 * int(waited)

    def close(self) -> None:
        super().close()
        if self._account:
            self._account.close()


class RefereeLoop(asyncio.SelectorEventLoop):
    """An event loop with an :class:`ArrivalSelector`."""

    def __init__(self) -> None:
        self.arrivals = ArrivalSelector()
        super().__init__(self.arrivals)


def now() -> float:
    """Return the running loop's time in seconds. Replies are timed only by this clock."""
    return asyncio.get_running_loop().time()


def arrival_time() -> float:
    """Return the arrival time of the data that the running loop is now reading."""
    loop = asyncio.get_running_loop()
    return loop.arrivals.arrival if isinstance(loop, RefereeLoop) else loop.time()


def paused_seconds() -> float:
    """Return the running loop's total pause in seconds, or 0 if it is not a RefereeLoop."""
    loop = asyncio.get_running_loop()
    return loop.arrivals.paused() if isinstance(loop, RefereeLoop) else 0.0
