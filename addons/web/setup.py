"""Reads the engines and games that pages may start, from a file and the command line."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from quietmove.engine.common.errors import QuietmoveError
from quietmove.engine.games.registry import get_game
from quietmove.referee.arguments.engine_args import read_engine
from quietmove.referee.arguments.toml_file import TABLES, TomlFile
from quietmove.referee.config.model import EngineConfig
from quietmove.referee.config.validation import unknown_key
from quietmove.referee.errors import SetupError
from quietmove.referee.seats.pool import objections

ASKED = "othello"  # the game used when querying engines for their options


def read_setup(
    config: Path | None, engines: Sequence[Sequence[str]] = (), games: Sequence[str] = ()
) -> tuple[list[EngineConfig], list[str]]:
    """Return the engines and games named in a file and on a command line.

    :param config: a file with engine tables, as in a tournament's configuration.
    :param engines: each additional engine's arguments.
    :param games: names of games; only Python files named here may be played.
    :raises SetupError: listing all errors.
    """
    chosen = list[EngineConfig]()
    named = list[EngineConfig]()
    playable = list[str]()
    problems = list[str]()
    if config is not None:
        file = TomlFile(config)
        for key in file.data:
            if key not in TABLES:
                file.mistake((key,), unknown_key(key, TABLES))
        found = file.engines()
        file.ask(found, ASKED)
        chosen += filter(None, found)
        problems += file.problems
    for words in engines:
        engine, wrong = read_engine(words)
        problems += wrong
        named += [engine] if engine else []
    problems += [each.text for each in objections(named, ASKED)]
    names = [engine.name for engine in (*chosen, *named)]
    twice = sorted({engine.name for engine in named if names.count(engine.name) > 1})
    problems += [f"two engines are called {name}; give them different names with name=" for name in twice]
    for name in games:
        try:
            playable.append(get_game(name).name)
        except QuietmoveError as error:
            problems.append(str(error))
    if problems:
        raise SetupError(problems)
    return [*chosen, *named], playable
