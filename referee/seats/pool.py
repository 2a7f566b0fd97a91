"""Seats that are used again from game to game, and checks of the engines before the first game."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import repeat
from typing import TypeVar

from quietmove.engine.common.processors import usable_processors
from quietmove.referee.config.model import Color, EngineConfig
from quietmove.referee.errors import SetupError, ShortageError
from quietmove.referee.process.launch import start_objections, with_seed
from quietmove.referee.process.loop import RefereeLoop
from quietmove.referee.process.shortage import shortage_of
from quietmove.referee.seats import Failure, Listener, Objection, Offered, Seat, create_seat


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


T = TypeVar("T")

# Checks engines for a game, and returns the problems of each engine.
Ask = Callable[[Sequence[EngineConfig], str], list[list[Objection]]]


def check_engine(config: EngineConfig, game: str) -> list[Objection]:
    """Return what is wrong with how the program is to be started, else what the engine does not accept.

    An engine that cannot be started is not reported here: it loses its games by the referee's verdict.

    :raises ShortageError: if the machine has no room for it.
    """
    if config.command and (found := [Objection(None, text) for text in start_objections(config)]):
        return found

    return _ask_seat(config, game, lambda seat: seat.objections())


def offered(config: EngineConfig, game: str) -> list[Offered]:
    """Start an engine and return the options that it says it has.

    :raises SetupError: if it cannot be started, or does not answer its greeting.
    :raises ShortageError: if the machine has no room for it.
    """
    if config.command and (wrong := list(start_objections(config))):
        raise SetupError(wrong)
    return _ask_seat(config, game, lambda seat: seat.offered())


def _ask_seat(config: EngineConfig, game: str, question: Callable[[Seat], Awaitable[T]]) -> T:
    """Return what a player answers that is there for this question alone."""

    async def ask() -> T:
        seat = create_seat(config, game)
        try:
            return await question(seat)
        finally:
            await seat.end()

    with shortage_of("another engine"), asyncio.Runner(loop_factory=RefereeLoop) as runner:
        return runner.run(ask())


def check_engines(engines: Sequence[EngineConfig], game: str) -> list[list[Objection]]:
    """Start every engine on this machine, and return what is wrong with each.

    :raises ShortageError: if the machine has no room for them.
    """
    with shortage_of("another thread"), ThreadPoolExecutor(len(usable_processors())) as executor:
        return list(executor.map(check_engine, engines, repeat(game)))


def objections(engines: Sequence[EngineConfig], game: str, ask: Ask = check_engines) -> list[Objection]:
    """Ask every engine once and return what is wrong with its command and its options.

    Many engines ignore an unknown option silently; another engine than the one that was meant would then play. An
    engine that cannot be started is not reported here: it loses its games by the referee's verdict.

    :param ask: asks them where they play; engines need to exist there, and nowhere else.
    """
    found = ask([with_seed(engine, 0) for engine in engines], game)
    return [
        Objection(objection.option, f"engine {engine.name}: {objection.text}", index)
        for index, engine in enumerate(engines)
        for objection in found[index]
    ]
