"""Where the games of a tournament are played; the workers of a Dask scheduler are in ``cluster``.

A place is asked what is wrong with the engines, and gives a pool that plays games. Whoever asks for games sees no
difference.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from contextlib import AbstractContextManager

from quietmove.engine.common.processors import usable_processors
from quietmove.referee.config.model import EngineConfig
from quietmove.referee.match.running import Pool, local_pool
from quietmove.referee.process.shortage import Notice
from quietmove.referee.seats import Objection
from quietmove.referee.seats.pool import check_engines
from quietmove.tournament.definition import Tournament


class Place(ABC):
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


class Threads(Place):
    """Here, with all engines as children of this process."""

    def size(self, configured: int | None) -> int:
        return self.concurrency or configured or len(usable_processors())

    def pool(self, tournament: Tournament, notice: Notice) -> AbstractContextManager[Pool]:
        """Return a pool of threads that wait for the games of one host.

        :raises ShortageError: when it is entered, if there is no room for a single game.
        """
        return local_pool(self.size(tournament.concurrency))
