"""Checks of the engines before the first game, for mistakes in their configuration."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace

from quietmove.referee.config import EngineConfig
from quietmove.referee.loop import RefereeLoop
from quietmove.referee.programs import processors, start_objections, with_seed
from quietmove.referee.seats import Objection, create_seat
from quietmove.referee.shortage import shortage_of

__all__ = ["EngineObjection", "check_engine", "check_engines", "objections"]


@dataclass(frozen=True, slots=True)
class EngineObjection:
    """A problem with the configuration of one of several engines.

    :param engine: index of the engine.
    :param option: the option it is about; ``None`` if it is about the engine as a whole.
    """

    engine: int
    option: str | None
    text: str


def objections(engines: Sequence[EngineConfig], game: str) -> list[EngineObjection]:
    """Ask every engine once and return what is wrong with its command and its options.

    Many engines ignore an unknown option silently; another engine than the one that was meant would then play. An
    engine that cannot be started is not reported here: it loses its games by the referee's verdict.
    """
    found = check_engines([with_seed(engine, 0) for engine in engines], game, processors())
    return [
        EngineObjection(index, objection.option, f"engine {engine.name}: {objection.text}")
        for index, engine in enumerate(engines)
        for objection in found[index]
    ]


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
