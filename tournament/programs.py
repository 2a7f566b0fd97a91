"""Engines as programs: which command starts them here, and what can be found wrong with them before the first game."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path

from quietmove.referee.config import EngineConfig
from quietmove.referee.errors import RefereeError
from quietmove.referee.preflight import check_engine

__all__ = ["OWN_ENGINE", "SEED_PLACE", "Objection", "installed", "objections", "own_engine", "processors", "with_seed"]

SEED_PLACE = "{seed}"  # in an option's value or a command's argument: the game's seed is put there
OWN_ENGINE = "quietmove"  # as the first word of a command: the engine of this very installation, wherever PATH leads


@dataclass(frozen=True, slots=True)
class Objection:
    """What speaks against playing an engine as it is configured.

    :param engine: index of the engine.
    :param option: the option it is about; empty if it is about all of them, ``None`` if about the command.
    """

    engine: int
    option: str | None
    text: str


def own_engine() -> tuple[str, ...]:
    """Return the command of this installation's engine: the script beside the interpreter, or else the module."""
    script = Path(sys.executable).with_name(OWN_ENGINE)
    return (str(script),) if script.is_file() else (sys.executable, "-m", "engine")


def installed(engine: EngineConfig) -> EngineConfig:
    """Return ``engine`` with the command that starts it on this machine."""
    if engine.command[0] != OWN_ENGINE:
        return engine
    return replace(engine, command=(*own_engine(), *engine.command[1:]))


def processors() -> int:
    """Return how many processors this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def objections(engines: Sequence[EngineConfig], game: str) -> list[Objection]:
    """Start every engine once and return what is wrong with its command and its options.

    An option that an engine does not know is commonly ignored without a word, and the tournament would compare wrong
    things. An engine that does not come up meets no objection: it will lose its games, by the referee's verdict.
    """
    with ThreadPoolExecutor(processors()) as executor:
        found = executor.map(lambda item: list(_objections(item[0], installed(item[1]), game)), enumerate(engines))
        return [objection for each in found for objection in each]


def _objections(index: int, engine: EngineConfig, game: str) -> Iterator[Objection]:
    engine = with_seed(engine, 0)
    if text := _refusal(replace(engine, options=()), game):
        yield Objection(index, None, text)
    elif text := _refusal(engine, game):
        alone = [(name, _refusal(replace(engine, options=((name, value),)), game)) for name, value in engine.options]
        guilty = [Objection(index, name, text) for name, text in alone if text]
        yield from guilty or [Objection(index, "", text)]


def _refusal(engine: EngineConfig, game: str) -> str:
    try:
        check_engine(engine, game)
    except RefereeError as error:
        return str(error)
    return ""


def with_seed(engine: EngineConfig, seed: int) -> EngineConfig:
    """Return ``engine`` with the seed of its game wherever its command or options ask for it."""
    return replace(
        engine,
        command=tuple(word.replace(SEED_PLACE, str(seed)) for word in engine.command),
        options=tuple((name, value.replace(SEED_PLACE, str(seed))) for name, value in engine.options),
    )
