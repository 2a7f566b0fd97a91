"""Sends pages the state of a tournament that another process plays."""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import AsyncIterator, Callable
from concurrent.futures import Executor

from quietmove.addons.web.routes import json_text
from quietmove.addons.web.store_reader import NO_GAMES, Reader
from quietmove.engine.common.errors import QuietmoveError

PAUSE_SECONDS = 1.0  # minimum seconds between polls of a store
SHARE_OF_TIME = 0.01  # maximum share of processor time taken from the engines for reading and computing


class Follower:
    """A tournament store that is polled while pages watch it. Each read serves all pages.

    Use it from one event loop.

    :param thread: an executor with a single thread, which reads the stores one at a time.
    """

    def __init__(self, reader: Reader, thread: Executor) -> None:
        self.reader = reader
        self._thread = thread
        self._standing = Repeated(self._read)
        self._running = Repeated(self._read_games)

    async def messages(self) -> AsyncIterator[str]:
        """Yield the messages for one page: the tournament's state and its running games, then each when it changes."""
        told = ("", NO_GAMES)
        loop = asyncio.get_running_loop()
        while True:
            before = told
            told = await loop.run_in_executor(self._thread, lambda: (self._standing.text(), self._running.text()))
            if told[0] != before[0]:
                yield told[0]
            if told[1] != before[1]:
                yield f'{{"type":"games","now":{time.time()},"running":{told[1]}}}'
            await asyncio.sleep(PAUSE_SECONDS)

    def _read(self) -> str:
        try:
            return f'{{"type":"tournament","document":{self.reader.refresh()}}}'
        except Exception as error:  # report the error on the pages, and continue
            text = str(error) if isinstance(error, QuietmoveError) else f"{type(error).__name__}: {error}"
            return json_text({"type": "error", "error": text})

    def _read_games(self) -> str:
        try:
            return self.reader.running()
        except Exception:  # a user's game may raise anything; continue without the boards
            return NO_GAMES


class Repeated:
    """A text that is rebuilt on demand, at a rate limited by its cost. Use it from one thread."""

    def __init__(self, make: Callable[[], str]) -> None:
        self._make = make
        self._text = ""
        self._due = 0.0  # monotonic time of the next rebuild

    def text(self) -> str:
        """Return the text, which may be slightly outdated."""
        if time.monotonic() >= self._due:
            began = time.thread_time()
            self._text = self._make()
            cost = time.thread_time() - began  # processor time in seconds
            self._due = time.monotonic() + max(PAUSE_SECONDS, cost / (SHARE_OF_TIME * (os.cpu_count() or 1)))
        return self._text
