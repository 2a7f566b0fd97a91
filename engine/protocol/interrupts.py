"""Signals that ask the process to end: where they interrupt it, and where they must not."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager

TYPE_CHECKING = False  # while typing is imported, a Ctrl-C would print a traceback
if TYPE_CHECKING:
    from typing import Any

REQUESTS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)  # Ctrl-C, a program and a closed terminal send these


@contextmanager
def interrupted_by_requests() -> Iterator[None]:
    """Let every request to end raise KeyboardInterrupt in the block, as Ctrl-C does, so that it can clean up."""
    with handled_by(signal.default_int_handler, REQUESTS):
        yield


def ignore_requests() -> None:
    """Ignore these signals from now on, since the process is about to end."""
    for number in REQUESTS:
        signal.signal(number, signal.SIG_IGN)


@contextmanager
def uninterrupted() -> Iterator[None]:
    """Let no request to end interrupt the block, which is short: one Ctrl-C has come, and another may follow."""
    with handled_by(signal.SIG_IGN, REQUESTS):
        yield


@contextmanager
def handled_by(handler: Any, numbers: Iterable[int]) -> Iterator[None]:
    """Handle signals so in the block; in any thread but the main one, which alone gets signals, nothing changes."""
    before = {}
    if threading.current_thread() is threading.main_thread():
        before = {number: signal.signal(number, handler) for number in numbers}
    try:
        yield
    finally:
        for number, handler_before in before.items():
            signal.signal(number, handler_before)
