"""Tells pages how a tournament stands while it is played in another process."""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from quietmove.engine.errors import QuietmoveError
from quietmove.tournament.web.reader import Reader, shown

__all__ = ["Follower"]

PAUSE_SECONDS = 1.0  # between two looks at the file
SHARE_OF_TIME = 0.01  # of this machine's processors that reading and computing may take from the engines


class Follower:
    """A store that is read again and again while pages watch; all of them get what is read once.

    Its methods belong to one event loop.

    :param turn: held while a store is read: one at a time, so that ten tournaments take no more than one does.
    :ivar watchers: how many pages there are.
    """

    def __init__(self, reader: Reader, turn: asyncio.Lock) -> None:
        self.reader = reader
        self.watchers = 0
        self._turn = turn
        self._message = ""
        self._number = 0  # of the message
        self._news = asyncio.Condition()
        self._following: asyncio.Task[None] | None = None

    @asynccontextmanager
    async def watched(self) -> AsyncIterator[AsyncIterator[str]]:
        """Yield the messages for one page: how the tournament stands now, and again when that has changed."""
        self.watchers += 1
        if self._following is None:
            self._following = asyncio.create_task(self._follow())
        try:
            yield self._messages()
        finally:
            self.watchers -= 1
            if not self.watchers:
                self._following.cancel()
                self._following = None

    async def _messages(self) -> AsyncIterator[str]:
        number = 0
        while True:
            async with self._news:
                while number == self._number:
                    await self._news.wait()
                number, message = self._number, self._message
            yield message  # a page that is slow misses those between

    async def _follow(self) -> None:
        while True:
            async with self._turn:
                message, cost = await asyncio.to_thread(self._read)
            if message != self._message:
                async with self._news:
                    self._message = message
                    self._number += 1
                    self._news.notify_all()
            await asyncio.sleep(max(PAUSE_SECONDS, cost / (SHARE_OF_TIME * (os.cpu_count() or 1))))

    def _read(self) -> tuple[str, float]:
        """Return the message of now, and the seconds of processor time that it took."""
        began = time.thread_time()
        try:
            message = f'{{"type":"tournament","document":{self.reader.refresh()}}}'
        except QuietmoveError as error:
            message = shown({"type": "error", "error": str(error)})
        except Exception as error:  # the pages go on, and say what happened
            message = shown({"type": "error", "error": f"{type(error).__name__}: {error}"})
        return message, time.thread_time() - began
