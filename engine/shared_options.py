"""The options ``--game`` and ``--version``, which the three programs share, and their shell completion."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from typing import Any

import click

from quietmove.engine.errors import GameError
from quietmove.engine.games.registry import game_names, get_game


def complete_game(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[str]:
    return [name for name in game_names() if name.startswith(incomplete)]


def complete_color(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[str]:
    """Complete the name of a side: a player of the chosen game, ``first``, ``second`` or ``random``."""
    sides = ["first", "second", "random"]
    with contextlib.suppress(GameError):
        sides += get_game(ctx.params.get("name") or "othello").players
    return [side for side in sides if side.lower().startswith(incomplete.lower())]


def game_option(default: str, text: str = "Game to play, from its initial position.") -> Callable[..., Any]:
    """Return a decorator that adds the ``--game`` option."""
    return click.option("--game", default=default, show_default=True, shell_complete=complete_game, help=text)


def show_version(ctx: click.Context, param: click.Parameter, wanted: bool) -> None:
    if wanted:
        from quietmove.engine.version import version_text  # would add 40 ms to --help

        click.echo(version_text())
        ctx.exit()


version_option = click.option(
    "--version",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=show_version,
    help="Show the version and the compiled code in use.",
)
