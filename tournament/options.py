"""Options that several commands have: the store, keys of the configuration, and how games are shown."""

from __future__ import annotations

import re
from pathlib import Path

import click

from quietmove.engine.games.registry import get_game
from quietmove.tournament.definition import Tournament

STORE = click.Path(path_type=Path, dir_okay=False)

store_argument = click.argument("store", type=STORE)


def _load(ctx: click.Context, param: click.Parameter, name: str | None) -> None:
    if name:
        get_game(name)


own_game_option = click.option(
    "--game",
    expose_value=False,
    callback=_load,
    metavar="FILE:CLASS",
    help="Run the file of a game of your own; a store that names one is not enough.",
)
sandbox_option = click.option("--sandbox", is_flag=True, help="Run every engine in bubblewrap.")
setting_option = click.option(
    "--set",
    "settings",
    multiple=True,
    metavar="KEY=VALUE",
    help="Another value of KEY, defaults.KEY, each.KEY (of every engine) or engine.NAME.KEY; as often as wanted.",
)
json_option = click.option(
    "--json",
    "as_json",
    is_flag=True,
    help="Print what happens as JSON, one object a line; tournament/README.md describes them.",
)


def store_path(tournament: Tournament) -> Path:
    """Return the file that a tournament's games are kept in if nothing else is said."""
    return Path(f"{file_stem(tournament.name) or 'tournament'}.sqlite")


def file_stem(name: str) -> str:
    """Return the file name, without its ending, for a tournament's files: never hidden, never like an option."""
    return re.sub(r"[^\w.-]+", "-", name).lstrip(".-")
