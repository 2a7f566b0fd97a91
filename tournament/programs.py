"""Engines as programs: what can be found wrong with them before the first game, and where a game's seed goes."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, replace

from quietmove.referee.config import EngineConfig
from quietmove.referee.preflight import check_engines

__all__ = ["SEED_PLACE", "EngineObjection", "objections", "processors", "with_seed"]

SEED_PLACE = "{seed}"  # in an option's value or a command's argument: the game's seed is put there


@dataclass(frozen=True, slots=True)
class EngineObjection:
    """A problem with an engine's configuration.

    :param engine: index of the engine.
    :param option: the option it is about; ``None`` if it is about the engine as a whole.
    """

    engine: int
    option: str | None
    text: str


def processors() -> int:
    """Return how many processors this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def objections(engines: Sequence[EngineConfig], game: str) -> list[EngineObjection]:
    """Ask every engine once and return what is wrong with its command and its options.

    Many engines ignore an unknown option silently; the tournament would then compare the wrong things. An engine that
    cannot be started is not reported here: it loses its games by the referee's verdict.
    """
    found = check_engines([with_seed(engine, 0) for engine in engines], game, processors())
    return [
        EngineObjection(index, objection.option, f"engine {engine.name}: {objection.text}")
        for index, engine in enumerate(engines)
        for objection in found[index]
    ]


def with_seed(engine: EngineConfig, seed: int) -> EngineConfig:
    """Return ``engine`` with the seed of its game wherever its command or options ask for it."""
    return replace(
        engine,
        command=tuple(word.replace(SEED_PLACE, str(seed)) for word in engine.command),
        options=tuple((name, value.replace(SEED_PLACE, str(seed))) for name, value in engine.options),
    )
