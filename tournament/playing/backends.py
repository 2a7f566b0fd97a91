"""Backends that play a tournament's games, and the command-line options that select one.

A backend checks the engines and provides a pool that plays games. Callers see no difference between backends. The
backend for the workers of a Dask scheduler is an add-on.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from functools import wraps

import click

from quietmove.engine.common.addons import need_hook
from quietmove.engine.common.command_line import force_concurrency_option
from quietmove.engine.common.processors import usable_processors
from quietmove.engine.common.text import printable
from quietmove.referee.config.model import EngineConfig
from quietmove.referee.match.running import Pool, fitting_games, local_pool
from quietmove.referee.process.shortage import Notice, ignore_notice
from quietmove.referee.seats import Objection
from quietmove.referee.seats.pool import check_engines
from quietmove.tournament.definition import Tournament
from quietmove.tournament.errors import ClusterError


class GameBackend(ABC):
    """A backend that plays games on this machine or on others.

    :ivar concurrency: the maximum number of concurrent games requested by the user, or None.
    """

    def __init__(self, concurrency: int | None = None) -> None:
        self.concurrency = concurrency

    def ask(self, engines: Sequence[EngineConfig], game: str) -> list[list[Objection]]:
        """Return the problems of each engine on the machines on which it will play, by default only this one."""
        return check_engines(engines, game)

    @abstractmethod
    def size(self, configured: int | None) -> int:
        """Return the number of games that will run concurrently.

        :param configured: the number in the tournament's configuration; the command line overrides it.
        """

    @abstractmethod
    def pool(self, tournament: Tournament, notice: Notice) -> AbstractContextManager[Pool]:
        """Return a context manager for a pool that plays games of ``tournament``, :meth:`size` at a time.

        On exit, running games are stopped and their engines ended.

        :param notice: a function called with a message when fewer games can run, and when machines come or go.
        """


class Threads(GameBackend):
    """A backend that plays all games in this process.

    :param pinned: whether each game has processors of its own, on which both its engines run.
    :param forced: whether more games than processors can run concurrently.
    """

    def __init__(self, concurrency: int | None = None, *, pinned: bool = False, forced: bool = False) -> None:
        super().__init__(concurrency)
        self._pinned = pinned
        self._forced = forced

    def size(self, configured: int | None) -> int:
        return self._fitting(configured)

    def pool(self, tournament: Tournament, notice: Notice) -> AbstractContextManager[Pool]:
        """Return a pool on one host; entering it raises a ShortageError if there is no room for a single game."""
        return local_pool(self._fitting(tournament.concurrency, notice), pinned=self._pinned)

    def _fitting(self, configured: int | None, notice: Notice = ignore_notice) -> int:
        requested = self.concurrency or configured or len(usable_processors())
        return fitting_games(requested, notice, forced=self._forced)


def backend_options(command: Callable[..., int]) -> Callable[..., int]:
    """Add the backend options to a command, which is called with the open ``backend``."""

    @click.option(
        "--concurrency",
        type=click.IntRange(1, 10_000),
        metavar="N",
        help="Total number of concurrent games.  [default: as configured, or one per processor; with --workers, "
        "at least one per worker; with --cluster, one per thread of its workers]",
    )
    @force_concurrency_option
    @click.option(
        "--affinity", "pinned", is_flag=True, help="Give each game processors of its own, for both its engines."
    )
    @click.option(
        "--workers",
        type=click.IntRange(1, 1000),
        metavar="N",
        help="Play in N worker processes, which share the concurrent games (needs Dask).",
    )
    @click.option("--cluster", metavar="ADDRESS", help="Play on this Dask scheduler's workers: tcp://10.0.0.1:8786.")
    @wraps(command)
    def with_backend(
        *arguments: object,
        cluster: str | None,
        workers: int | None,
        concurrency: int | None,
        pinned: bool,
        forced: bool,
        **named: object,
    ) -> int:
        if pinned and forced:
            raise click.UsageError("--affinity cannot be combined with --force-concurrency")

        def notice(text: str) -> None:
            click.echo(f"note: {printable(text)}", err=True)

        with open_backend(cluster, workers, concurrency, notice, pinned=pinned, forced=forced) as backend:
            return command(*arguments, backend=backend, **named)

    return with_backend


@contextmanager
def open_backend(
    cluster: str | None,
    workers: int | None,
    concurrency: int | None,
    notice: Callable[[str], None],
    *,
    pinned: bool = False,
    forced: bool = False,
) -> Iterator[GameBackend]:
    """Yield the backend selected on the command line.

    :param cluster: the address of a Dask scheduler.
    :param workers: the number of worker processes to start on this machine.
    :param pinned, forced: as for :class:`Threads`.
    :raises ClusterError: if the options conflict, or the scheduler or a usable worker is missing.
    """
    if cluster is None and workers is None:
        yield Threads(concurrency, pinned=pinned, forced=forced)
        return
    option = "--workers" if cluster is None else "--cluster"
    if pinned or forced:
        raise ClusterError(f"{'--affinity' if pinned else '--force-concurrency'} cannot be combined with {option}")
    if cluster is not None and workers is not None:
        raise ClusterError("--cluster and --workers cannot be combined; --workers starts its own cluster")
    if workers is not None and concurrency is not None and concurrency < workers:
        raise ClusterError(f"--concurrency: must be at least the number of --workers, {workers}, not {concurrency}")
    open_cluster = need_hook("cluster", "cluster", option)
    with open_cluster(cluster, workers, concurrency, notice) as backend:
        yield backend
