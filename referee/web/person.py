"""A person's seat: the answer comes from the page, and waits for it."""

from __future__ import annotations

import asyncio

from quietmove.referee.config.model import Color
from quietmove.referee.seats import SEATS, Answer, Failure, Listener, Seat, Turn

__all__ = ["PERSON", "PersonSeat"]

PERSON = "person"  # the protocol of such a seat


class PersonSeat(Seat):
    """A seat whose moves :meth:`answer` gives. Without a clock it waits as long as it takes."""

    can_resign = True
    _asked: asyncio.Future[str] | None = None

    async def start(self, color: Color, listener: Listener) -> Failure | None:
        """Sit down."""
        self.color, self.listener = color, listener
        return None

    async def think(self, turn: Turn) -> Answer:
        """Wait for the person's move."""
        loop = asyncio.get_running_loop()
        started, self._asked = loop.time(), loop.create_future()
        patience_ms = turn.clocks[self.color].patience_ms
        try:
            move = await asyncio.wait_for(self._asked, None if patience_ms is None else patience_ms / 1000)
        except TimeoutError:
            move = None
        return Answer(move, move, (loop.time() - started) * 1000)

    def answer(self, move: str) -> None:
        """Give the move, as the game writes it, or ``resign``. It is dropped if none is asked for."""
        if self._asked is not None and not self._asked.done():
            self._asked.set_result(move)

    async def end(self, *, patient: bool = True) -> None:
        """Leave the game."""


SEATS.setdefault(PERSON, PersonSeat)
