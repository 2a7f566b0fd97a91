"""The event loop of the games: it knows what part of a delay is the referee's own, and charges it to no engine.

The kernel does not tell when a line arrived in a pipe, only that there is one. Until the referee looks, time passes in
which it was busy with other games, or waited for a processor that engines keep busy. None of that is the engine's.

A referee that was stopped (Ctrl-Z, a frozen container, a machine that was paused) cannot tell when a line came. The
loop knows its pauses, and a game whose clock ran meanwhile has no result.
"""

from __future__ import annotations

import asyncio
import os
import selectors
import time
from pathlib import Path

ACCOUNT = Path("/proc/thread-self/schedstat")  # nanoseconds on a processor, nanoseconds of waiting for one, and more
LOOK_SECONDS = 0.1  # a look sleeps at most so long, so that no more of a pause is taken for sleep
PAUSE_SECONDS = 0.2  # a shorter absence is no pause: a thread may wait for Python's lock, or for a page of memory


class ArrivalSelector(selectors.DefaultSelector):
    """Waits for pipes, and tells since when at the earliest there was something in those that it found ready.

    If the selector slept, something came when the kernel woke it. That was the time of now, less the time for which its
    thread was ready to run and had no processor. If something was there when the selector looked, it came after the
    last look. A selector runs in the thread that makes it.

    :ivar arrival: the time of arrival for the pipes of the last :meth:`select`, in seconds of ``time.monotonic``.
    """

    def __init__(self) -> None:
        super().__init__()
        self._account = ACCOUNT.open("rb") if ACCOUNT.exists() else None  # some containers' kernels have none
        self._last_look = self.arrival = time.monotonic()
        self._paused = self._slept = 0.0
        self._account_at, self._used = self._last_look, sum(self.account())

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        """Return what is ready within ``timeout`` seconds, and note its arrival."""
        now = time.monotonic()
        ready = super().select(0)
        if ready or timeout == 0:
            if now - self._account_at > LOOK_SECONDS:  # the short waits of a busy loop are no pause
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
        """Return for how many seconds the thread has been paused so far; it neither ran nor waited for a processor."""
        self._settle(time.monotonic(), sum(self.account()))
        return self._paused

    def _settle(self, now: float, used: float) -> None:
        """Note the time since this was last asked if the thread did not use it, nor slept in a look.

        :param used: seconds that it ran or waited for a processor so far.
        """
        away = now - self._account_at - (used - self._used) - self._slept
        if away > PAUSE_SECONDS:
            self._paused += away
        self._account_at, self._used, self._slept = now, used, 0.0

    def account(self) -> tuple[float, float]:
        """Return for how many seconds the thread ran so far, and for how many it was ready to and had no processor."""
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
    """Return the running loop's time, in seconds: the one clock by which answers are judged."""
    return asyncio.get_running_loop().time()


def arrival_time() -> float:
    """Return when that arrived which the running loop is reading now."""
    loop = asyncio.get_running_loop()
    return loop.arrivals.arrival if isinstance(loop, RefereeLoop) else loop.time()


def paused_seconds() -> float:
    """Return for how many seconds the running loop has been paused so far; 0 where it is none of a referee."""
    loop = asyncio.get_running_loop()
    return loop.arrivals.paused() if isinstance(loop, RefereeLoop) else 0.0
