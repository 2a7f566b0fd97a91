"""The contract of a format: which games of a tournament may be played next, given the results so far."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from quietmove.tournament.schedule import Result, ScheduledGame, meeting

if TYPE_CHECKING:
    from quietmove.tournament.config import Tournament

__all__ = ["Format", "Setting", "SettingValue"]

SettingValue = bool | int | float | str


@dataclass(frozen=True, slots=True)
class Setting:
    """A key of the configuration that belongs to a format.

    :param kind: the type of its values.
    :param default: ``None`` if the configuration must give it.
    :param minimum: the least value allowed; ``None`` for any.
    """

    name: str
    kind: type[SettingValue]
    help: str
    default: SettingValue | None = None
    minimum: float | None = None


class Format(ABC):
    """The plan of one tournament, without a state of its own: everything follows from the results.

    The same results give the same answers, and the runner gives them in the order of the games' numbers. So the games
    are the same however many run at once, and a tournament that was killed goes on as if it had not been. A format
    that pairs by results waits, with no further games, until the results that it pairs by are all there.

    :cvar settings: the keys of the configuration that this format adds.
    :ivar values: the value of each of them.
    """

    settings: ClassVar[tuple[Setting, ...]] = ()

    def __init__(self, tournament: Tournament) -> None:
        self.tournament = tournament
        self.values = dict(tournament.settings)

    @abstractmethod
    def next_games(self, results: Sequence[Result]) -> Iterable[ScheduledGame]:
        """Return the games that may be played now, in the order in which they should be begun.

        Games that have a result or are being played may be among them; the runner passes over those. Once there are
        no others and none is being played, the tournament is over. A game that is being played when a format stops
        early is played to its end and counts.

        A game's number is its own for ever: it is the same whatever other results there are.
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
        return meeting(tournament.name, tournament.seed, tournament.openings, pair, round_number, number)
