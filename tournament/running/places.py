"""Where the games of a tournament are played: on this machine, or on the workers of a Dask scheduler.

A place is asked what is wrong with the engines, and gives a pool that plays games. The runner knows no difference.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager

from quietmove.referee.config.model import EngineConfig
from quietmove.referee.match import running
from quietmove.referee.match.running import Pool
from quietmove.referee.process.programs import processors
from quietmove.referee.process.shortage import Notice
from quietmove.referee.seats import Objection
from quietmove.referee.seats.preflight import ask_here, asked_by
from quietmove.tournament.config.definition import Tournament
from quietmove.tournament.errors import ClusterError

__all__ = ["Place", "Threads", "open_place"]


class Place(ABC):
    """Where games are played.

    :ivar concurrency: the most games at once that the user asked for; ``None`` if it was not said.
    """

    def __init__(self, concurrency: int | None = None) -> None:
        self.concurrency = concurrency

    @abstractmethod
    def ask(self, engines: Sequence[EngineConfig], game: str) -> list[list[Objection]]:
        """Return what is wrong with each of ``engines`` where they are to play."""

    @abstractmethod
    def size(self, configured: int | None) -> int:
        """Return how many games will run at once.

        :param configured: what the tournament's configuration says; the command line goes before it.
        """

    @abstractmethod
    def pool(self, tournament: Tournament, notice: Notice) -> AbstractContextManager[Pool]:
        """Return what plays games of ``tournament``, as many at once as :meth:`size` says.

        Leaving it stops the games that still run and ends their engines.

        :param notice: is told if there is room for fewer, and of machines that come and go.
        """


class Threads(Place):
    """Here, with all engines as children of this process."""

    def ask(self, engines: Sequence[EngineConfig], game: str) -> list[list[Objection]]:
        """Ask the engines here."""
        return ask_here(engines, game)

    def size(self, configured: int | None) -> int:
        """Return one game for each processor, if nothing else is said."""
        return self.concurrency or configured or processors()

    def pool(self, tournament: Tournament, notice: Notice) -> AbstractContextManager[Pool]:
        """Return a pool of threads that wait for the games of one host.

        :raises ShortageError: when it is entered, if there is no room for a single game.
        """
        return running.threads(self.size(tournament.concurrency), notice)


@contextmanager
def open_place(
    cluster: str | None, workers: int | None, concurrency: int | None, notice: Callable[[str], None]
) -> Iterator[Place]:
    """Yield the place that the command line asks for; in the block the engines are asked there.

    :param cluster: the address of a Dask scheduler.
    :param workers: how many worker processes to start on this machine.
    :raises ClusterError: if they contradict each other, or there is no such scheduler or no worker that can play.
    """
    with _place(cluster, workers, concurrency, notice) as place, asked_by(place.ask):
        yield place


@contextmanager
def _place(
    cluster: str | None, workers: int | None, concurrency: int | None, notice: Callable[[str], None]
) -> Iterator[Place]:
    if cluster is None and workers is None:
        yield Threads(concurrency)
        return
    option = "--workers" if cluster is None else "--cluster"
    if cluster is not None and workers is not None:
        raise ClusterError(
            "--cluster, --workers: one of them at most is allowed; --workers starts a cluster of its own"
        )
    if workers is not None and concurrency is not None and concurrency < workers:
        raise ClusterError(
            f"--workers {workers} play at least as many games at once; --concurrency {concurrency} allows fewer"
        )
    try:
        from quietmove.tournament.running.cluster import LocalWorkers, connected
    except ImportError:
        raise ClusterError(f"{option} needs Dask: pip install 'quietmove[cluster]'") from None
    if workers is not None:
        yield LocalWorkers(workers, concurrency)
    else:
        assert cluster is not None
        with connected(cluster, concurrency, notice) as place:
            yield place
