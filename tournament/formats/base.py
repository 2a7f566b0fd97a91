"""The contract of a format: which games of a tournament may be played next, given the results so far."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, ClassVar

from quietmove.referee.settings import Setting
from quietmove.tournament.schedule import Result, ScheduledGame, meeting

if TYPE_CHECKING:
    from quietmove.tournament.config import Tournament

__all__ = ["Format"]


class Format(ABC):
    """The plan of one tournament. It keeps no state: everything follows from the results.

    The same results give the same answers, and the runner gives them in the order of the games' numbers. So the games
    are the same however many run at once, and a tournament that was killed is resumed with the same games. A format
    that pairs by results returns no further games until all the results that it pairs by are there.

    :cvar settings: the keys of the configuration that this format adds.
    :ivar values: the value of each of them.
    """

    settings: ClassVar[tuple[Setting, ...]] = ()

    def __init__(self, tournament: Tournament) -> None:
        self.tournament = tournament
        self.values = {row.name: row.default for row in self.settings} | dict(tournament.settings)

    @abstractmethod
    def next_games(self, results: Sequence[Result]) -> Iterable[ScheduledGame]:
        """Return the games that may be played now, in the order in which they should be begun.

        Games that have a result or are being played may be among them; the runner passes over those. Once there are
        no others and none is being played, the tournament is over. A game that is being played when a format stops
        early is played to its end and counts.

        A game's number never changes, whatever other results there are.
        """

    @abstractmethod
    def planned(self, results: Sequence[Result]) -> int | None:
        """Return how many games the tournament will have in all; ``None`` if that depends on results to come."""

    def remarks(self) -> list[str]:
        """Return what the user should know before the first game, one sentence each."""
        return []

    def meeting(self, pair: tuple[str, str], round_number: int, number: int) -> tuple[ScheduledGame, ScheduledGame]:
        """Return the two games of ``pair`` in one round, the first of them with ``number``.

        :param pair: names in the order of the configuration.
        """
        tournament = self.tournament
        return meeting(
            tournament.name,
            tournament.seed,
            tournament.openings,
            pair,
            round_number,
            number,
            tournament.openings_order,
        )
