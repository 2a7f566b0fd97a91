"""A pool of reusable seats, and checks of the engines before the first game."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Awaitable, Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from itertools import chain, repeat
from typing import TypeVar

from quietmove.engine.common.processors import usable_processors
from quietmove.engine.protocol.lines import OptionLine
from quietmove.referee.config.model import Color, EngineConfig
from quietmove.referee.errors import SetupError, ShortageError
from quietmove.referee.process.launch import start_objections, with_seed
from quietmove.referee.process.loop import RefereeLoop
from quietmove.referee.process.shortage import shortage_of
from quietmove.referee.seats import Failure, Listener, Objection, Seat, create_seat


class SeatPool:
    """A pool of idle seats, the most recently used last. Use it from one event loop only."""

    def __init__(self, most: int) -> None:
        """Create a pool that keeps at most ``most`` idle seats."""
        self._most = most
        self._idle: list[Seat] = []

    async def start(
        self, config: EngineConfig, game: str, color: Color, listener: Listener, opening: Sequence[str] = ()
    ) -> tuple[Seat, Failure | None]:
        """Start a game on a matching idle seat, or on a new one; return the seat and the failure, if any.

        If an idle seat fails, it is ended and another one is used, so its failure costs no game. If the machine has no
        room for a new seat, all idle seats are ended first.

        :param opening: the moves that start the game.
        :raises ShortageError: if there is still no room.
        """
        while idle := next((seat for seat in reversed(self._idle) if seat.fits(config, game)), None):
            self._idle.remove(idle)
            idle.config = config
            if await self._begin(idle, color, listener, opening) is None:
                return idle, None
            await idle.end(patient=False)
        while True:
            seat = create_seat(config, game)
            try:
                return seat, await self._begin(seat, color, listener, opening)
            except ShortageError:
                if not self._idle:
                    raise
                await self.end_all()

    async def release(self, seat: Seat) -> None:
        """Keep a seat for later games. If there are too many idle seats, end the one that has been idle longest."""
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

# A function that checks engines for a game and returns the problems of each engine.
Ask = Callable[[Sequence[EngineConfig], str], list[list[Objection]]]


def check_engine(config: EngineConfig, game: str) -> list[Objection]:
    """Return the problems with the engine's start command or, if there are none, with its options.

    An engine that fails to start is not reported here, because the referee's verdict makes it lose its games.

    :raises ShortageError: if the machine has no room for the engine.
    """
    return _check_alike([config], game)[0]


def _check_alike(engines: Sequence[EngineConfig], game: str) -> list[list[Objection]]:
    """Check engines that can share a process, as :func:`check_engine` does; return the problems of each."""
    first = engines[0]
    if first.command and (problems := [Objection(None, text) for text in start_objections(first)]):
        return [problems] * len(engines)

    async def check(seat: Seat) -> list[list[Objection]]:
        answers = []
        for seat.config in engines:
            answers.append(await seat.objections())
        return answers

    return _ask_seat(first, game, check)


def offered(config: EngineConfig, game: str) -> list[OptionLine]:
    """Start an engine and return the options it declares.

    :raises SetupError: if it does not start or complete its handshake.
    :raises ShortageError: if the machine has no room for the engine.
    """
    if config.command and (wrong := list(start_objections(config))):
        raise SetupError(wrong)
    return _ask_seat(config, game, lambda seat: seat.offered())


def _ask_seat(config: EngineConfig, game: str, question: Callable[[Seat], Awaitable[T]]) -> T:
    async def ask() -> T:
        seat = create_seat(config, game)
        try:
            return await question(seat)
        finally:
            await seat.end()

    with shortage_of("another engine"), asyncio.Runner(loop_factory=RefereeLoop) as runner:
        return runner.run(ask())


def check_engines(engines: Sequence[EngineConfig], game: str) -> list[list[Objection]]:
    """Check every engine on this machine, starting it if necessary, and return the problems of each.

    Engines that can share a process share it here too: most tournaments play one program with different options.

    :raises ShortageError: if the machine has no room for them.
    """
    alike = defaultdict[EngineConfig, list[EngineConfig]](list)
    for engine in engines:
        alike[replace(engine.reuse_key, start_timeout_ms=engine.start_timeout_ms)].append(engine)
    with shortage_of("another thread"), ThreadPoolExecutor(len(usable_processors())) as executor:
        answers = chain.from_iterable(executor.map(_check_alike, alike.values(), repeat(game)))
        problems = dict(zip(chain.from_iterable(alike.values()), answers, strict=True))
    return [problems[engine] for engine in engines]


def objections(engines: Sequence[EngineConfig], game: str, ask: Ask = check_engines) -> list[Objection]:
    """Check every engine, starting it if necessary, and return the problems with commands and options.

    Many engines silently ignore an unknown option, so a differently configured engine would play. An engine that fails
    to start is not reported here, because the referee's verdict makes it lose its games.

    :param ask: a function that checks the engines on the machines where they will play, which may be elsewhere.
    """
    answers = ask([with_seed(engine, 0) for engine in engines], game)
    return [
        Objection(objection.option, f"engine {engine.name}: {objection.text}", index)
        for index, engine in enumerate(engines)
        for objection in answers[index]
    ]
