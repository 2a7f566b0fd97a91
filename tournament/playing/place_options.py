"""The options of a command that say where games are played, and the place that they ask for."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps

import click

from quietmove.engine.common.addons import need_hook
from quietmove.engine.common.text import printable
from quietmove.tournament.errors import ClusterError
from quietmove.tournament.playing.places import Place, Threads


def place_options(command: Callable[..., int]) -> Callable[..., int]:
    """Add the options to a command, which is called with the open ``place`` that they say."""

    @click.option(
        "--concurrency",
        type=click.IntRange(1, 10_000),
        metavar="N",
        help="Games at once, in all.  [default: as the configuration says, or one per processor; with --workers at "
        "least one for each, with --cluster one per thread of its workers]",
    )
    @click.option(
        "--workers",
        type=click.IntRange(1, 1000),
        metavar="N",
        help="Play in N processes, which share these games (Dask).",
    )
    @click.option("--cluster", metavar="ADDRESS", help="Play on this Dask scheduler's workers: tcp://10.0.0.1:8786.")
    @wraps(command)
    def with_place(
        *arguments: object, cluster: str | None, workers: int | None, concurrency: int | None, **named: object
    ) -> int:
        def notice(text: str) -> None:
            click.echo(f"note: {printable(text)}", err=True)

        with open_place(cluster, workers, concurrency, notice) as place:
            return command(*arguments, place=place, **named)

    return with_place


@contextmanager
def open_place(
    cluster: str | None, workers: int | None, concurrency: int | None, notice: Callable[[str], None]
) -> Iterator[Place]:
    """Yield the place that the command line asks for.

    :param cluster: the address of a Dask scheduler.
    :param workers: how many worker processes to start on this machine.
    :raises ClusterError: if they contradict each other, or there is no such scheduler or no worker that can play.
    """
    if cluster is None and workers is None:
        yield Threads(concurrency)
        return
    option = "--workers" if cluster is None else "--cluster"
    if cluster is not None and workers is not None:
        raise ClusterError("--cluster, --workers: must be one of them; --workers starts a cluster of its own")
    if workers is not None and concurrency is not None and concurrency < workers:
        raise ClusterError(f"--concurrency: must be at least the {workers} of --workers, not {concurrency}")
    open_cluster = need_hook("cluster", "cluster", option)
    with open_cluster(cluster, workers, concurrency, notice) as place:
        yield place
