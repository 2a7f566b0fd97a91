"""From a configuration in TOML and the words of a command line to what the page serves, with every error at once."""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Annotated

from pydantic import Field

from quietmove.engine.errors import QuietmoveError
from quietmove.engine.games.registry import get_game
from quietmove.engine.games.user.source import GameFile
from quietmove.referee.config.model import EngineConfig
from quietmove.referee.config.toml_file import TomlFile, with_home
from quietmove.referee.config.validation import model
from quietmove.referee.config.words import read_engine
from quietmove.referee.errors import SetupError
from quietmove.referee.seats.preflight import objections
from quietmove.referee.web.login import read_password

__all__ = ["VARIABLE", "PageSetup", "read_setup"]

HERE = "127.0.0.1"
VARIABLE = "QUIETMOVE_PASSWORD"  # of the environment
ASKED = "othello"  # the game that engines are set up for when they are asked for their options


@model
class PageKeys:
    """What stands at the top of the file, beside the tables of engines."""

    host: Annotated[str, Field(min_length=1)] = HERE
    port: Annotated[int, Field(ge=0, le=65535)] | None = None
    password_file: Annotated[str, Field(min_length=1)] | None = None
    open: bool = False
    games: tuple[str, ...] = ()
    stores: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class PageSetup:
    """What is served.

    :param engines: those that may be chosen; none for the usual ones.
    :param games: Python files with games that may be chosen beside those that have names.
    :param stores: files and folders that pages of other packages show.
    :param host: the name or address of this machine under which it is served.
    :param password: that opens the pages; empty if there is none yet.
    :param port: 0 for one that is free.
    :param opens: whether the page is opened in the browser of this machine.
    """

    engines: tuple[EngineConfig, ...] = ()
    games: tuple[str, ...] = ()
    stores: tuple[Path, ...] = ()
    port: int = 0
    opens: bool = False
    host: str = HERE
    password: str = field(default="", repr=False)


def read_setup(
    config: Path | None,
    engines: Sequence[str] = (),
    games: Sequence[str] = (),
    stores: Sequence[Path] = (),
    port: int | None = None,
    host: str | None = None,
    password_file: Path | None = None,
    *,
    opens: bool,
) -> PageSetup:
    """Return what a file and a command line describe; the command line adds to lists, and wins else.

    :param engines: the words of each engine, joined as for a shell.
    :raises SetupError: listing everything that is wrong.
    """
    problems: list[str] = []
    written = PageSetup()
    if config is not None:
        written, problems = _read_file(config)
    found, wrong = _read_words(engines)
    problems += wrong
    names = [engine.name for engine in (*written.engines, *found)]
    problems += [
        f"two engines are called {name}; tell them apart by name="
        for name in sorted({engine.name for engine in found})
        if names.count(name) > 1
    ]
    playable, wrong = _read_games(games)
    problems += wrong
    if problems:
        raise SetupError(problems)
    return replace(
        written,
        engines=(*written.engines, *found),
        games=(*written.games, *playable),
        stores=(*written.stores, *stores),
        port=written.port if port is None else port,
        opens=opens or written.opens,
        host=host or written.host,
        password=written.password or os.environ.get(VARIABLE, "")
        if password_file is None
        else read_password(password_file),
    )


def _read_file(path: Path) -> tuple[PageSetup, list[str]]:
    """Return what a file says, and everything that is wrong with it.

    :raises SetupError: if it is no file that can be read as TOML.
    """
    reader = TomlFile(path)
    keys = reader.read(PageKeys) or PageKeys()
    engines = reader.engines()
    reader.ask(engines, ASKED)
    games = tuple(_games_of(reader, keys.games))
    stores = tuple(path.parent / with_home(name) for name in keys.stores)
    password = ""
    if keys.password_file is not None:
        try:
            password = read_password(path.parent / with_home(keys.password_file))
        except SetupError as error:
            reader.mistake(("password_file",), str(error))
    playable = tuple(filter(None, engines))
    setup = PageSetup(playable, games, stores, keys.port or 0, keys.open, keys.host, password)
    return setup, reader.problems


def _games_of(reader: TomlFile, names: Sequence[str]) -> Iterator[str]:
    """Yield the games of a file, whose paths begin at its folder."""
    for index, name in enumerate(names):
        file = GameFile.read(str(with_home(name)), str(reader.folder))
        found, wrong = _read_games([name if file is None else file.value])
        for text in wrong:
            reader.mistake(("games", index), text)
        yield from found


def _read_games(names: Sequence[str]) -> tuple[list[str], list[str]]:
    """Return the names of games, and what is wrong with those that are none."""
    found, problems = [], []
    for name in names:
        try:
            found.append(get_game(name).name)
        except QuietmoveError as error:
            problems.append(str(error))
    return found, problems


def _read_words(engines: Sequence[str]) -> tuple[list[EngineConfig], list[str]]:
    """Return the engines of a command line, and everything that is wrong with them."""
    found, problems = [], []
    for words in engines:
        config, wrong = read_engine(shlex.split(words), ())
        problems += wrong
        found += [config] if config else []
    return found, [*problems, *(each.text for each in objections(found, ASKED))]
