"""The options of commands that make a tournament of two engines: how long they think, and where the games begin."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from pathlib import Path

import click

from quietmove.command_help import complete_game

__all__ = ["limit_options", "start_options"]

OPENINGS = click.Path(path_type=Path, dir_okay=False)


def limit_options(command: Callable[..., int]) -> Callable[..., int]:
    """Add the limits, of which one at most is allowed, to a command; it is called with ``limit``, a text or None."""

    @click.option("--nodes", type=click.IntRange(1), metavar="N", help="Nodes for each move; without any limit 10000.")
    @click.option("--depth", type=click.IntRange(1), metavar="N", help="Plies for each move.")
    @click.option("--movetime", type=click.IntRange(1), metavar="MS", help="Milliseconds for each move.")
    @click.option("--tc", metavar="[MOVES/]SECONDS[+SECONDS]", help="A clock for the game.")
    @wraps(command)
    def with_limit(
        *arguments: object, tc: str | None, movetime: int | None, nodes: int | None, depth: int | None, **named: object
    ) -> int:
        values = {"tc": tc, "movetime": movetime, "nodes": nodes, "depth": depth}
        given = [f"{name}={value}" for name, value in values.items() if value is not None]
        if len(given) > 1:
            raise click.UsageError(f"one limit at most is allowed; {' and '.join(given)} came")
        return command(*arguments, limit=given[0] if given else None, **named)

    return with_limit


def start_options(command: Callable[..., int]) -> Callable[..., int]:
    """Add the game, the openings and the seed to a command."""
    rows = (
        click.option("--game", default="othello", show_default=True, shell_complete=complete_game),
        click.option(
            "--openings",
            type=click.Path(path_type=Path, dir_okay=False),
            help="A file; by default 5000 random openings.",
        ),
        click.option(
            "--seed", type=int, default=1, show_default=True, metavar="N", help="Another seed plays other games."
        ),
    )
    for row in reversed(rows):
        command = row(command)
    return command
