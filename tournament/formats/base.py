"""The interface of a format, which determines the next games of a tournament from the results so far."""

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

REMEMBERED_MEETINGS = 8192  # cache size; each request iterates over all running games again, up to 10,000


@dataclass(frozen=True, slots=True)
class Column:
    """An additional column of the table.

    :param title: the column heading.
    :param key: the column's name in the JSON of the standings.
    :param values: the numbers, by engine name.
    :param help: one sentence for the legend below the table.
    """

    title: str
    key: str
    values: Mapping[str, float]
    help: str


@dataclass(frozen=True, slots=True)
class Summary:
    """A format's interpretation of the results so far: report lines, extra columns and ranking.

    :param lines: sentences for users.
    :param facts: the same information as values for JSON.
    :param columns: additional columns of the table.
    :param order: the engines' names, best first, if the format has its own ranking; otherwise Elo decides.
    :param zero: the engines whose mean Elo is 0; if empty, all of them.
    """

    lines: tuple[str, ...] = ()
    facts: Mapping[str, Any] = field(default_factory=dict)
    columns: tuple[Column, ...] = ()
    order: tuple[str, ...] | None = None
    zero: tuple[str, ...] = ()


class Format(ABC):
    """The plan of one tournament. It is stateless: everything derives from the results.

    The same results give the same games, and the runner passes the results in numerical order. The games are therefore
    the same for any concurrency, and a killed tournament resumes with the same games. A format whose pairings depend on
    results returns no further games until all those results exist.

    :cvar settings: the configuration keys that this format adds.
    :ivar values: the value of each setting.
    :ivar meeting: :func:`quietmove.tournament.games.meeting` for this tournament, with a cache.
    :ivar most_meetings: the maximum number of meetings of two engines, or 0 if unknown.
    """

    settings: ClassVar[tuple[Setting, ...]] = ()
    most_meetings = 0

    def __init__(self, tournament: Tournament) -> None:
        self.tournament = tournament
        self.meeting = lru_cache(REMEMBERED_MEETINGS)(partial(meeting, tournament))
        self.values = {row.name: row.default for row in self.settings} | dict(tournament.settings)

    @abstractmethod
    def next_games(self, results: Sequence[Result]) -> Iterable[ScheduledGame]:
        """Return the games that can be played now, in the order in which to start them.

        The runner skips games that have a result or are running. The tournament is over when there are no other games
        and none is running. If a format stops early, running games are finished and count.

        A game's number never changes, whatever the other results. The runner calls this after every game and takes a
        few games, so a generator that starts near the :func:`first_missing` game is fast for any number of games.
        """

    @abstractmethod
    def planned(self, results: Sequence[Result]) -> int | None:
        """Return the total number of games, or None if it depends on future results."""

    def problems(self) -> list[tuple[str, str]]:
        """Return the reasons why this format cannot play the tournament, as pairs of configuration key and message."""
        count = len(self.tournament.engines)
        return [("engine", f"must be given at least twice, not {count} times")] * (count < 2)

    def variants(self) -> list[EngineConfig]:
        """Return engine configurations that the format may create, to be checked before the first game."""
        return []

    def has_ended(self, results: Sequence[Result]) -> bool:
        """Return whether no game is missing."""
        played = {result.number for result in results}
        return all(game.number in played for game in self.next_games(results))

    def summary(self, results: Sequence[Result]) -> Summary:
        """Return the format's interpretation of ``results``, which are in numerical order."""
        return Summary()

    def remarks(self) -> list[str]:
        """Return sentences the user should read before the first game."""
        openings = len(self.tournament.openings)
        return [
            f"two engines may meet {self.most_meetings} times over {openings} opening{'s' * (openings != 1)}: openings "
            "repeat, and games that are exact repetitions count once"
        ] * (self.most_meetings > openings)


def first_missing(results: Sequence[Result]) -> int:
    """Return the lowest game number missing from ``results``, which are in numerical order."""
    return 1 + bisect_left(range(len(results)), True, key=lambda index: results[index].number != index + 1)


TWO = 2  # two engines, and two games per pair


class PairByPair(Format):
    """A format in which two engines play pairs of games. Finished pairs are processed in numerical order.

    State is cached between calls. New results are added to it; if earlier results have changed, it is rebuilt.

    :ivar pairs: the number of pairs processed.
    """

    def __init__(self, tournament: Tournament) -> None:
        super().__init__(tournament)
        self.pairs = 0
        self._last: Result | None = None

    @abstractmethod
    def begin(self) -> None:
        """Reset to the state before the first pair."""

    @abstractmethod
    def add(self, one: Result, two: Result) -> None:
        """Process the next pair, whose number is :attr:`pairs` + 1."""

    @property
    @abstractmethod
    def is_decided(self) -> bool:
        """Whether no more pairs need to be processed."""

    def follow(self, results: Sequence[Result]) -> None:
        """Process all complete pairs at the start of ``results``."""
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
        """Return the two games of a pair, counted from 1."""
        first, second = self.tournament.names
        return self.meeting((first, second), number, TWO * number - 1)

    def trajectory(self, points: int) -> list[int]:
        """Return at most ``points`` + 1 evenly spaced numbers from 0 to the number of processed pairs."""
        return sorted({round(self.pairs * part / points) for part in range(points + 1)})
