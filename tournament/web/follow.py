"""Tells pages how a tournament stands while it is played in another process."""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

from quietmove.engine.errors import QuietmoveError
from quietmove.tournament.web.reader import NO_GAMES, Reader, shown

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
        self._standing = ""  # the message of how the tournament stands
        self._running = NO_GAMES  # and the games that are being played, without their moment
        self._news = asyncio.Condition()
        self._following: asyncio.Task[None] | None = None

    @asynccontextmanager
    async def watched(self) -> AsyncIterator[AsyncIterator[str]]:
        """Yield the messages for one page: how the tournament stands, the games that are played; and what changes."""
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
        standing, running = "", NO_GAMES
        while True:  # a page that is slow misses those between
            async with self._news:
                while (standing, running) == (self._standing, self._running):
                    await self._news.wait()
                before, (standing, running) = (standing, running), (self._standing, self._running)
            if standing != before[0]:
                yield standing
            if running != before[1]:
                yield f'{{"type":"games","now":{time.time()},"running":{running}}}'

    async def _follow(self) -> None:
        async with asyncio.TaskGroup() as group:
            group.create_task(self._follow_store())
            group.create_task(self._follow_games())

    async def _follow_store(self) -> None:
        while True:
            async with self._turn:
                message, cost = await asyncio.to_thread(timed, self._read)
            if message != self._standing:
                async with self._news:
                    self._standing = message
                    self._news.notify_all()
            await pause(cost)

    async def _follow_games(self) -> None:
        while True:
            running, cost = await asyncio.to_thread(timed, self._read_games)
            if running != self._running:
                async with self._news:
                    self._running = running
                    self._news.notify_all()
            await pause(cost)

    def _read(self) -> str:
        try:
            return f'{{"type":"tournament","document":{self.reader.refresh()}}}'
        except QuietmoveError as error:
            return shown({"type": "error", "error": str(error)})
        except Exception as error:  # the pages go on, and say what happened
            return shown({"type": "error", "error": f"{type(error).__name__}: {error}"})

    def _read_games(self) -> str:
        try:
            return self.reader.running()
        except Exception:  # a game of one's own may raise anything; the pages go on without the picture
            return NO_GAMES


def timed(work: Callable[[], str]) -> tuple[str, float]:
    """Return what ``work`` returns, and the seconds of processor time that it took."""
    began = time.thread_time()
    return work(), time.thread_time() - began


async def pause(cost: float) -> None:
    """Wait until it is time to look again, after a look that took ``cost`` seconds of processor time."""
    await asyncio.sleep(max(PAUSE_SECONDS, cost / (SHARE_OF_TIME * (os.cpu_count() or 1))))
