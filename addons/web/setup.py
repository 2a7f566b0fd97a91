"""From a file of engines and the words of a command line to what the page may start, with every error at once."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from pathlib import Path

from quietmove.engine.common.errors import QuietmoveError
from quietmove.engine.games.registry import get_game
from quietmove.referee.config.engine_args import read_engine
from quietmove.referee.config.model import EngineConfig
from quietmove.referee.config.toml_file import TABLES, TomlFile
from quietmove.referee.config.validation import unknown_key
from quietmove.referee.errors import SetupError
from quietmove.referee.seats.pool import objections

ASKED = "othello"  # the game that engines are set up for when they are asked for their options


def read_setup(
    config: Path | None, engines: Sequence[str] = (), games: Sequence[str] = ()
) -> tuple[list[EngineConfig], list[str]]:
    """Return the engines and the games that a file and a command line name.

    :param config: a file with the tables of engines that the configuration of a tournament has.
    :param engines: the words of each further engine, joined as for a shell.
    :param games: the names of games, of which those of Python files may be played for this alone.
    :raises SetupError: listing everything that is wrong.
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
        engine, wrong = read_engine(shlex.split(words))
        problems += wrong
        named += [engine] if engine else []
    problems += [each.text for each in objections(named, ASKED)]
    names = [engine.name for engine in (*chosen, *named)]
    twice = sorted({engine.name for engine in named if names.count(engine.name) > 1})
    problems += [f"two engines are called {name}; tell them apart by name=" for name in twice]
    for name in games:
        try:
            playable.append(get_game(name).name)
        except QuietmoveError as error:
            problems.append(str(error))
    if problems:
        raise SetupError(problems)
    return [*chosen, *named], playable
