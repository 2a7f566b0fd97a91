"""Checks of the engines before the first game, for mistakes in their configuration."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

from quietmove.referee.config import EngineConfig
from quietmove.referee.loop import RefereeLoop
from quietmove.referee.programs import start_objections
from quietmove.referee.seats import Objection, create_seat
from quietmove.referee.shortage import shortage_of

__all__ = ["check_engine", "check_engines"]


def check_engine(config: EngineConfig, game: str) -> list[Objection]:
    """Return what is wrong with how the program is to be started, else what the engine does not accept.

    An engine that cannot be started is not reported here: it loses its games by the referee's verdict.

    :raises ShortageError: if the machine has no room for it.
    """
    if config.command and (found := [Objection(None, text) for text in start_objections(config, game)]):
        return found
    with shortage_of("another engine"), asyncio.Runner(loop_factory=RefereeLoop) as runner:
        return runner.run(_ask(config, game))


def check_engines(engines: Sequence[EngineConfig], game: str, at_once: int) -> list[list[Objection]]:
    """Return what is wrong with each of ``engines``; ``at_once`` of them are asked at a time.

    :raises ShortageError: if the machine has no room for them.
    """
    with shortage_of("another thread"), ThreadPoolExecutor(at_once) as executor:
        return list(executor.map(lambda engine: check_engine(engine, game), engines))


async def _ask(config: EngineConfig, game: str) -> list[Objection]:
    seat = create_seat(config, game)
    try:
        return await seat.objections()
    finally:
        await seat.end()
