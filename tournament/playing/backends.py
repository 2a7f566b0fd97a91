"""Backends, which play the games of a tournament, and the options of a command that choose one.

A backend is asked what is wrong with the engines, and gives a pool that plays games. Whoever asks for games sees no
difference. The backend that plays on the workers of a Dask scheduler is an add-on.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from functools import wraps

import click

from quietmove.engine.common.addons import need_hook
from quietmove.engine.common.processors import usable_processors
from quietmove.engine.common.text import printable
from quietmove.referee.config.model import EngineConfig
from quietmove.referee.match.running import Pool, local_pool
from quietmove.referee.process.shortage import Notice
from quietmove.referee.seats import Objection
from quietmove.referee.seats.pool import check_engines
from quietmove.tournament.definition import Tournament
from quietmove.tournament.errors import ClusterError


class GameBackend(ABC):
    """Where games are played.

    :ivar concurrency: the most games at once that the user asked for; ``None`` if it was not said.
    """

    def __init__(self, concurrency: int | None = None) -> None:
        self.concurrency = concurrency

    def ask(self, engines: Sequence[EngineConfig], game: str) -> list[list[Objection]]:
        """Return what is wrong with each of ``engines`` where they are to play; by default that is here."""
        return check_engines(engines, game)

    @abstractmethod
    def size(self, configured: int | None) -> int:
        """Return how many games will run at once.

        :param configured: what the tournament's configuration says; the command line goes before it.
        """

    @abstractmethod
    def pool(self, tournament: Tournament, notice: Notice) -> AbstractContextManager[Pool]:
        """Return what plays games of ``tournament``, as many at once as :meth:`size` says.

        Leaving it stops the games that still run and ends their engines.

        :param notice: a function that is called with a sentence if there is room for fewer games, and when machines
            come or go.
        """


class Threads(GameBackend):
    """Here, with all engines as children of this process."""

    def size(self, configured: int | None) -> int:
        return self.concurrency or configured or len(usable_processors())

    def pool(self, tournament: Tournament, notice: Notice) -> AbstractContextManager[Pool]:
        """Return a pool of threads that wait for the games of one host.

        :raises ShortageError: when it is entered, if there is no room for a single game.
        """
        return local_pool(self.size(tournament.concurrency))


def backend_options(command: Callable[..., int]) -> Callable[..., int]:
    """Add the options to a command, which is called with the open ``backend`` that they say."""

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
    def with_backend(
        *arguments: object, cluster: str | None, workers: int | None, concurrency: int | None, **named: object
    ) -> int:
        def notice(text: str) -> None:
            click.echo(f"note: {printable(text)}", err=True)

        with open_backend(cluster, workers, concurrency, notice) as backend:
            return command(*arguments, backend=backend, **named)

    return with_backend


@contextmanager
def open_backend(
    cluster: str | None, workers: int | None, concurrency: int | None, notice: Callable[[str], None]
) -> Iterator[GameBackend]:
    """Yield the backend that the command line asks for.

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
    with open_cluster(cluster, workers, concurrency, notice) as backend:
        yield backend
