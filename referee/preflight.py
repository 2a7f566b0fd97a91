"""Checks of the engines before the first game, for mistakes in their configuration."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

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

    Of engines that differ in name and options alone, one process is asked for all their options. Only if it
    objects to any is each engine asked by itself.

    :raises ShortageError: if the machine has no room for them.
    """
    groups: dict[EngineConfig, list[int]] = defaultdict(list)
    for index, engine in enumerate(engines):
        groups[replace(engine, name="any", options=())].append(index)

    def check_group(members: list[int]) -> list[list[Objection]]:
        options = dict.fromkeys(option for index in members for option in engines[index].options)
        if len(members) > 1 and not check_engine(replace(engines[members[0]], options=tuple(options)), game):
            return [[] for _ in members]
        return [check_engine(engines[index], game) for index in members]

    found: list[list[Objection]] = [[] for _ in engines]
    with shortage_of("another thread"), ThreadPoolExecutor(at_once) as executor:
        for members, objections in zip(groups.values(), executor.map(check_group, groups.values()), strict=True):
            for index, objection in zip(members, objections, strict=True):
                found[index] = objection
    return found


async def _ask(config: EngineConfig, game: str) -> list[Objection]:
    seat = create_seat(config, game)
    try:
        return await seat.objections()
    finally:
        await seat.end()
