"""Seats that are kept from game to game, so that an engine need not be started for each of them."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from quietmove.referee.config.model import Color, EngineConfig
from quietmove.referee.errors import ShortageError
from quietmove.referee.seats import Failure, Listener, Seat, create_seat


class SeatPool:
    """Idle seats, the most recently used one last. To be used from one event loop."""

    def __init__(self, most: int) -> None:
        """Keep up to ``most`` seats."""
        self._most = most
        self._idle: list[Seat] = []

    async def start(
        self, config: EngineConfig, game: str, color: Color, listener: Listener, opening: Sequence[str] = ()
    ) -> tuple[Seat, Failure | None]:
        """Return a seat that has begun a game, a kept one if possible, and the reason if it could not begin.

        A kept seat that fails here is ended and a new one is started, so this failure costs no game. If the machine has
        no room for a new one, all kept seats are ended first.

        :param opening: the moves with which the game begins.
        :raises ShortageError: if there still is no room.
        """
        while kept := next((seat for seat in reversed(self._idle) if seat.fits(config, game)), None):
            self._idle.remove(kept)
            kept.config = config
            if await self._begin(kept, color, listener, opening) is None:
                return kept, None
            await kept.end(patient=False)
        while True:
            seat = create_seat(config, game)
            try:
                return seat, await self._begin(seat, color, listener, opening)
            except ShortageError:
                if not self._idle:
                    raise
                await self.end_all()

    async def release(self, seat: Seat) -> None:
        """Keep a seat that is ready for another game; end the one that has waited longest if there are too many."""
        seat.leave_game()
        self._idle.append(seat)
        while len(self._idle) > self._most:
            await self._idle.pop(0).end()

    async def end_all(self) -> None:
        """End every seat that is kept."""
        async with asyncio.TaskGroup() as group:
            while self._idle:
                group.create_task(self._idle.pop().end())

    @staticmethod
    async def _begin(seat: Seat, color: Color, listener: Listener, opening: Sequence[str]) -> Failure | None:
        seat.opening = opening
        try:
            return await seat.start(color, listener)
        except BaseException:
            await seat.end(patient=False)
            raise
