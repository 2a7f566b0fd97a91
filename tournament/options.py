"""Options that several commands share: the store, configuration keys, sandboxes, a game's file and JSON output."""

from __future__ import annotations

import re
from pathlib import Path

import click

from quietmove.engine.games.registry import get_game
from quietmove.engine.protocol.notation import NOTATIONS
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
    help="Load your own game from its file. Without this option, a game file named in the store is not run.",
)
notation_option = click.option(
    "--notation",
    type=click.Choice(sorted(NOTATIONS)),
    help="The notation of moves.  [default: the tournament's]",
)
sandbox_option = click.option("--sandbox", is_flag=True, help="Run every engine in bubblewrap.")
setting_option = click.option(
    "--set",
    "settings",
    multiple=True,
    metavar="KEY=VALUE",
    help="Override KEY, defaults.KEY, each.KEY (for every engine) or engine.NAME.KEY. May be repeated.",
)
json_option = click.option(
    "--json",
    "as_json",
    is_flag=True,
    help="Print events as JSON, one object per line; tournament/README.md describes them.",
)


def store_path(tournament: Tournament) -> Path:
    """Return the default path of a tournament's store."""
    return Path(f"{file_stem(tournament.name) or 'tournament'}.sqlite")


def file_stem(name: str) -> str:
    """Return a file name for a tournament, without extension, that is neither hidden nor mistaken for an option."""
    return re.sub(r"[^\w.-]+", "-", name).lstrip(".-")
