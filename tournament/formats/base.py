"""The contract of a format: which games of a tournament may be played next, given the results so far."""

from __future__ import annotations

from abc import ABC, abstractmethod
from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache, partial
from typing import Any, ClassVar

from quietmove.referee.config.model import EngineConfig
from quietmove.referee.config.validation import Setting
from quietmove.tournament.definition import Tournament
from quietmove.tournament.games import Result, ScheduledGame, meeting

REMEMBERED_MEETINGS = 8192  # the runner passes over the games that run, 10,000 at most, whenever it asks


@dataclass(frozen=True, slots=True)
class Column:
    """What a format adds to each engine's line of the table.

    :param title: the head of the column.
    :param key: its name in the JSON of the standings.
    :param values: the numbers, by the engines' names.
    :param help: one sentence below the table.
    """

    title: str
    key: str
    values: Mapping[str, float]
    help: str


@dataclass(frozen=True, slots=True)
class Summary:
    """What the results so far mean to a format.

    :param lines: sentences for a person.
    :param facts: the same for a program, in JSON's own types.
    :param columns: more columns of the table.
    :param order: the engines' names, best first, where the format has a ranking of its own; without it Elo decides.
    :param zero: the engines whose mean Elo is 0; without them it is that of all.
    """

    lines: tuple[str, ...] = ()
    facts: Mapping[str, Any] = field(default_factory=dict)
    columns: tuple[Column, ...] = ()
    order: tuple[str, ...] | None = None
    zero: tuple[str, ...] = ()


class Format(ABC):
    """The plan of one tournament. It keeps no state: everything follows from the results.

    The same results give the same answers, and the runner gives them in the order of the games' numbers. So the games
    are the same however many run at once, and a tournament that was killed is resumed with the same games. A format
    that pairs by results returns no further games until all the results that it pairs by are there.

    :cvar settings: the keys of the configuration that this format adds.
    :ivar values: the value of each of them.
    :ivar meeting: :func:`quietmove.tournament.games.meeting` in this tournament; the last ones are remembered.
    :ivar most_meetings: how often two engines can meet at most; 0 if that cannot be said.
    """

    settings: ClassVar[tuple[Setting, ...]] = ()
    most_meetings = 0

    def __init__(self, tournament: Tournament) -> None:
        self.tournament = tournament
        self.meeting = lru_cache(REMEMBERED_MEETINGS)(partial(meeting, tournament))
        self.values = {row.name: row.default for row in self.settings} | dict(tournament.settings)

    @abstractmethod
    def next_games(self, results: Sequence[Result]) -> Iterable[ScheduledGame]:
        """Return the games that may be played now, in the order in which they should be begun.

        Games that have a result or are being played may be among them; the runner passes over those. Once there are
        no others and none is being played, the tournament is over. A game that is being played when a format stops
        early is played to its end and counts.

        A game's number never changes, whatever other results there are. The runner asks after every game and takes a
        few: a generator that begins near the :func:`first_missing` game is quick however many there are.
        """

    @abstractmethod
    def planned(self, results: Sequence[Result]) -> int | None:
        """Return how many games the tournament will have in all; ``None`` if that depends on results to come."""

    def problems(self) -> list[tuple[str, str]]:
        """Return why this format cannot play the tournament: for each reason a key of the configuration, and why."""
        count = len(self.tournament.engines)
        return [("engine", f"must be there twice or more, not {count} times")] * (count < 2)

    def variants(self) -> list[EngineConfig]:
        """Return engines as the format may set them up, which are asked too before the first game."""
        return []

    def has_ended(self, results: Sequence[Result]) -> bool:
        """Tell whether no game is missing."""
        played = {result.number for result in results}
        return all(game.number in played for game in self.next_games(results))

    def summary(self, results: Sequence[Result]) -> Summary:
        """Return what ``results``, in the order of their numbers, mean to this format."""
        return Summary()

    def remarks(self) -> list[str]:
        """Return what the user should know before the first game, one sentence each."""
        openings = len(self.tournament.openings)
        return [
            f"two engines may meet {self.most_meetings} times over {openings} opening{'s' * (openings != 1)}: openings "
            "come again, and games that engines repeat exactly count once"
        ] * (self.most_meetings > openings)


def first_missing(results: Sequence[Result]) -> int:
    """Return the least number of a game that is not among ``results``, which are in the order of their numbers."""
    return 1 + bisect_left(range(len(results)), True, key=lambda index: results[index].number != index + 1)


TWO = 2  # there are two engines, and two games in a pair


class PairByPair(Format):
    """Two engines play pairs of games, which are followed in the order of their numbers, once both games are there.

    Its state is kept between calls: with more results the next pairs are followed, with other results it begins anew.

    :ivar pairs: how many pairs have been followed.
    """

    def __init__(self, tournament: Tournament) -> None:
        super().__init__(tournament)
        self.pairs = 0
        self._last: Result | None = None

    @abstractmethod
    def begin(self) -> None:
        """Go back to before the first pair."""

    @abstractmethod
    def add(self, one: Result, two: Result) -> None:
        """Follow the next pair, the one after :attr:`pairs`."""

    @property
    @abstractmethod
    def is_decided(self) -> bool:
        """Whether no further pair is to be followed."""

    def follow(self, results: Sequence[Result]) -> None:
        """Follow all complete pairs at the beginning of ``results``."""
        if self._last is None or results[TWO * self.pairs - 1 : TWO * self.pairs] != [self._last]:
            self.pairs = 0
            self.begin()
        while not self.is_decided:
            games = results[TWO * self.pairs : TWO * self.pairs + TWO]
            if [game.number for game in games] != [TWO * self.pairs + 1, TWO * self.pairs + TWO]:
                return
            self.add(*games)
            self.pairs += 1
            self._last = games[-1]

    def pair(self, number: int) -> tuple[ScheduledGame, ScheduledGame]:
        """Return the two games of the pair with this number, from 1."""
        first, second = self.tournament.names
        return self.meeting((first, second), number, TWO * number - 1)

    def trajectory(self, points: int) -> list[int]:
        """Return numbers of pairs from 0 to all that were followed, at equal distances, ``points`` + 1 at most."""
        return sorted({round(self.pairs * part / points) for part in range(points + 1)})
