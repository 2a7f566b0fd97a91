"""The options that say where games are played, of every command that plays."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps

import click

from quietmove.engine.printable import printable

__all__ = ["place_options"]


def place_options(command: Callable[..., int]) -> Callable[..., int]:
    """Add the options to a command, which is called with the open ``place`` that they say."""

    @click.option(
        "--concurrency",
        type=click.IntRange(1, 10_000),
        metavar="K",
        help="Games at once, in all; by default what the configuration says, or one per processor, with --workers at "
        "least one for each, with --cluster one per thread of its workers.",
    )
    @click.option(
        "--workers",
        type=click.IntRange(1, 1000),
        metavar="N",
        help="Play in N processes on this machine, which share the K games (Dask).",
    )
    @click.option(
        "--cluster",
        metavar="ADDRESS",
        help="Play on the workers of this Dask scheduler, such as tcp://10.0.0.1:8786.",
    )
    @wraps(command)
    def with_place(
        *arguments: object, cluster: str | None, workers: int | None, concurrency: int | None, **named: object
    ) -> int:
        from quietmove.tournament.running.places import open_place

        with open_place(cluster, workers, concurrency, _notice) as place:
            return command(*arguments, place=place, **named)

    return with_place


def _notice(text: str) -> None:
    click.echo(f"note: {printable(text)}", err=True)
