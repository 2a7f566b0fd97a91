"""A person's seat: the answer comes from the page, and waits for it."""

from __future__ import annotations

import asyncio

from quietmove.referee.config.config import Color, EngineConfig
from quietmove.referee.seats import Answer, Failure, Listener, Seat, Turn

__all__ = ["PERSON", "PersonSeat"]

PERSON = "person"  # the protocol of such a seat


class PersonSeat(Seat):
    """A seat whose moves another thread gives by :meth:`answer`. Without a clock it waits as long as it takes."""

    can_resign = True

    def __init__(self, config: EngineConfig, game: str) -> None:
        super().__init__(config, game)
        self._loop: asyncio.AbstractEventLoop | None = None
        self._asked: asyncio.Future[tuple[str, float]] | None = None

    async def start(self, color: Color, listener: Listener) -> Failure | None:
        """Sit down."""
        self.color, self.listener = color, listener
        self._loop = asyncio.get_running_loop()
        return None

    async def think(self, turn: Turn) -> Answer:
        """Wait for the person's move."""
        loop = asyncio.get_running_loop()
        self._asked = loop.create_future()
        started = loop.time()
        patience_ms = turn.clocks[self.color].patience_ms
        try:
            move, at = await asyncio.wait_for(self._asked, None if patience_ms is None else patience_ms / 1000)
        except TimeoutError:
            return Answer(None, None, (loop.time() - started) * 1000)
        finally:
            self._asked = None
        return Answer(move, move, (at - started) * 1000)

    def answer(self, move: str) -> None:
        """Give the move, as the game writes it, or ``resign``; from any thread. It is dropped if none is wanted."""
        if self._loop is not None:
            self._loop.call_soon_threadsafe(self._take, move)

    def _take(self, move: str) -> None:
        if self._asked is not None and not self._asked.done():
            self._asked.set_result((move, asyncio.get_running_loop().time()))

    async def end(self, *, patient: bool = True) -> None:
        """Leave the table."""
