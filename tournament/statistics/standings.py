"""From stored results to a table: points, ratings, margins. Pure."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from operator import attrgetter
from statistics import NormalDist

from quietmove.referee.match.score import DEVIATIONS, Estimate, Score, Tally, estimate
from quietmove.tournament.games import Result, pair_of_games
from quietmove.tournament.statistics.rating import PairScore, Ratings, rate

SMALL_DIFFERENCE = 15.0  # the difference in Elo for which the games that would show it are told
POWER = 0.8  # the likelihood that so many games show a difference that is there
DIGITS = 2  # a number of games that is only about right has two digits that are not 0


@dataclass(frozen=True, slots=True)
class Comparison:
    """Which of two engines is better, as far as their games show.

    :param pentanomial: how many pairs of games brought ``first`` 0, ½, 1, 1½ and 2 points.
    :param found: what they show, from the view of ``first``.
    """

    first: str
    second: str
    pentanomial: tuple[int, ...]
    found: Estimate

    @classmethod
    def of(cls, first: str, second: str, pentanomial: Sequence[int]) -> Comparison | None:
        """Return what complete pairs of games show; ``None`` before the first."""
        found = estimate(pentanomial)
        return None if found is None else cls(first, second, tuple(pentanomial), found)

    @property
    def better(self) -> str | None:
        """The engine that is better, if the interval leaves out that both are equally strong."""
        if self.found.elo_low > 0:
            return self.first
        return self.second if self.found.elo_high < 0 else None

    def sentence(self) -> str:
        """Return the answer."""
        if self.better == self.second and (other := self.of(self.second, self.first, self.pentanomial[::-1])):
            return other.sentence()
        games = 2 * sum(self.pentanomial)
        if self.better:
            return f"{self.first} is better than {self.second}: {self.found}, {games:,} games"
        more = games_to_show(SMALL_DIFFERENCE, self.found.elo_low, self.found.elo_high, games)
        text = f"{self.first} and {self.second}: no difference shown, {self.found}, {games:,} games"
        if more is None or more <= games:
            return text
        return f"{text}; about {more:,} games would be needed to show {SMALL_DIFFERENCE:g} Elo"


def games_to_show(elo: float, low: float, high: float, games: int) -> int | None:
    """Return how many games show a difference of ``elo``, if it is there, with a likelihood of :data:`POWER`.

    The width of an interval falls with the root of the number of games; ``None`` if it is infinite.

    :param low, high: the interval after ``games``.
    """
    if not (math.isfinite(low) and math.isfinite(high)):
        return None
    needed = games * ((high - low) / 2 * (1 + NormalDist().inv_cdf(POWER) / DEVIATIONS) / elo) ** 2
    return rounded_count(needed)


def rounded_count(games: float) -> int:
    """Return about so many games, 2 or more, as a number with :data:`DIGITS` digits that are not 0."""
    unit = 10.0 ** max(0, math.floor(math.log10(max(1.0, games))) - DIGITS + 1)
    return max(2, round(games / unit) * int(unit))


Tallies = dict[tuple[str, str], Tally]  # two names, and how their games went for the first


@dataclass(frozen=True, slots=True, kw_only=True)
class HeadToHead(Score):
    """All games between two engines, from the view of the first."""

    first: str
    second: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Row(Score):
    """One engine's line of the table.

    :param elo, error: against the average of the field, or of the engines whose mean is to be 0, with half the width of
        its 95 % interval.
    :param superiority: likelihood of being stronger than the next line's engine; ``None`` in the last line, and where
        one of the two has not played.
    :param forfeits: games lost by a verdict on the engine and not on the board.
    """

    name: str
    elo: float
    error: float
    superiority: float | None
    forfeits: int


@dataclass(frozen=True, slots=True)
class Standings:
    """The table, best engine first, and what it is made of."""

    rows: tuple[Row, ...]
    meetings: tuple[HeadToHead, ...]
    games: int
    distinct: int


def standings(
    names: Sequence[str],
    results: Iterable[Result],
    order: Sequence[str] | None = None,
    zero: Sequence[str] = (),
) -> Standings:
    """Return the table of the engines called ``names`` after ``results``.

    Points are of all games; ratings, errors, superiority and mean margins are of the distinct ones.

    :param order: the names in the order of the table; by default the best rating is first.
    :param zero: the engines whose mean rating is 0; by default all.
    """
    results = list(results)
    met = _tallies(results)
    index = {name: i for i, name in enumerate(names)}
    ratings = _rated(names, met)
    fixed = [index[name] for name in zero]
    if order is None:
        places = sorted(range(len(names)), key=lambda i: (-round(ratings.elo[i], 6), i))
    else:
        places = [index[name] for name in order]
    tallies = {name: Tally() for name in names}
    for (first, second), tally in met.items():
        tallies[first].add(tally)
        tallies[second].add(tally.reversed())
    followers = dict(pairwise(places))
    forfeits = Counter(result.forfeited_by for result in results)
    rows = []
    for i in places:
        elo, error = ratings.against(i, fixed)
        known = i in followers and all(tallies[names[each]].games for each in (i, followers[i]))
        rows.append(
            Row(
                **tallies[names[i]].score(),
                name=names[i],
                elo=elo,
                error=error,
                superiority=ratings.superiority(i, followers[i]) if known else None,
                forfeits=forfeits[names[i]],
            )
        )
    between = _meetings(met)
    return Standings(tuple(rows), between, len(results), sum(each.distinct for each in between))


def ratings_of(names: Sequence[str], results: Iterable[Result]) -> Ratings:
    """Return the ratings of the engines called ``names``, by their places, after the distinct ones of ``results``."""
    return _rated(names, _tallies(results))


def _rated(names: Sequence[str], met: Tallies) -> Ratings:
    index = {name: i for i, name in enumerate(names)}
    return rate(
        len(names),
        (
            PairScore(index[first], index[second], games, points, count)
            for (first, second), tally in met.items()
            for (games, points, _), count in tally.pairs.items()
        ),
    )


def meetings(results: Iterable[Result]) -> tuple[HeadToHead, ...]:
    """Return what each two engines that met scored against each other."""
    return _meetings(_tallies(results))


def _tallies(results: Iterable[Result]) -> Tallies:
    games: dict[tuple[str, str], dict[int, list[Result]]] = defaultdict(lambda: defaultdict(list))
    for result in sorted(results, key=attrgetter("number")):
        games[result.id.pair][result.id.round].append(result)
    return {names: Tally.of(list(map(pair_of_games, rounds.values()))) for names, rounds in games.items()}


def _meetings(tallies: Tallies) -> tuple[HeadToHead, ...]:
    return tuple(HeadToHead(**tally.score(), first=first, second=second) for (first, second), tally in tallies.items())
