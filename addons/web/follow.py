"""Tells pages how a tournament stands while it is played in another process."""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import AsyncIterator, Callable
from concurrent.futures import Executor

from quietmove.addons.web.routes import json_text
from quietmove.addons.web.store_reader import NO_GAMES, Reader
from quietmove.engine.common.errors import QuietmoveError

PAUSE_SECONDS = 1.0  # between two looks at the file
SHARE_OF_TIME = 0.01  # reading and computing take no more of this machine's processors from the engines


class Follower:
    """A store that is read again and again while pages watch; all of them get what is read once.

    Its methods belong to one event loop.

    :param thread: the one in which all stores are read: ten tournaments take no more time than one, nor more memory,
        of which each thread would keep its own.
    """

    def __init__(self, reader: Reader, thread: Executor) -> None:
        self.reader = reader
        self._thread = thread
        self._standing = Repeated(self._read)
        self._running = Repeated(self._read_games)

    async def messages(self) -> AsyncIterator[str]:
        """Yield the messages for one page: how the tournament stands, the games that are played; and what changes."""
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
        except Exception as error:  # the pages go on, and say what happened
            text = str(error) if isinstance(error, QuietmoveError) else f"{type(error).__name__}: {error}"
            return json_text({"type": "error", "error": text})

    def _read_games(self) -> str:
        try:
            return self.reader.running()
        except Exception:  # a game of one's own may raise anything; the pages go on without the picture
            return NO_GAMES


class Repeated:
    """A text that is made again when somebody asks for it, but no sooner than what it cost allows. For one thread."""

    def __init__(self, make: Callable[[], str]) -> None:
        self._make = make
        self._text = ""
        self._due = 0.0  # the monotonic time from which on it is made again

    def text(self) -> str:
        """Return the text of now, or that of a while ago."""
        if time.monotonic() >= self._due:
            began = time.thread_time()
            self._text = self._make()
            cost = time.thread_time() - began  # seconds of processor time
            self._due = time.monotonic() + max(PAUSE_SECONDS, cost / (SHARE_OF_TIME * (os.cpu_count() or 1)))
        return self._text
