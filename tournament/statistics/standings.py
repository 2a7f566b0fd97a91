"""Compute the table from results: points, ratings and margins. Pure functions."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from operator import attrgetter
from statistics import NormalDist

from quietmove.referee.match.score import DEVIATIONS, Estimate, Score, Tally, estimate
from quietmove.tournament.games import Result, pair_of_games
from quietmove.tournament.statistics.rating import PairScore, Ratings, rate

SMALL_DIFFERENCE = 15.0  # report how many games would detect this difference in Elo
POWER = 0.8  # statistical power: the probability that this many games detect a real difference
SIGNIFICANT = 0.05  # engines with a smaller p-value are different
DIGITS = 2  # significant digits of an approximate number of games


@dataclass(frozen=True, slots=True)
class Comparison:
    """A comparison of two engines by the games between them.

    :param pentanomial: the number of pairs in which ``first`` scored 0, ½, 1, 1½ and 2 points.
    :param found: the estimate from these pairs, from the point of view of ``first``.
    :param p_value: the probability of at least this difference between equal engines, after Holm's correction.
    :param family: the number of comparisons for which it was corrected.
    """

    first: str
    second: str
    pentanomial: tuple[int, ...]
    found: Estimate
    p_value: float
    family: int = 1

    @classmethod
    def of(cls, first: str, second: str, pentanomial: Sequence[int]) -> Comparison | None:
        """Return the comparison from complete pairs of games, or None before the first pair."""
        elo = estimate(pentanomial)
        if elo is None:
            return None
        return cls(first, second, tuple(pentanomial), elo, 2 * min(elo.superiority, 1 - elo.superiority))

    @classmethod
    def of_each(cls, scores: Iterable[tuple[str, str, Sequence[int]]]) -> list[Comparison]:
        """Return comparisons, with Holm's correction for their number, except for engines without a complete pair.

        :param scores: the arguments of :meth:`of` for each.
        """
        tested = [each for score in scores if (each := cls.of(*score))]
        corrected = holm([each.p_value for each in tested])
        return [replace(each, p_value=p, family=len(tested)) for each, p in zip(tested, corrected, strict=True)]

    @property
    def better(self) -> str | None:
        """The better engine, or None if the difference is not significant."""
        if self.p_value >= SIGNIFICANT:
            return None
        return self.first if self.found.elo > 0 else self.second

    def sentence(self) -> str:
        """Return the result of the comparison as a sentence."""
        if self.better == self.second and (other := self.of(self.second, self.first, self.pentanomial[::-1])):
            return replace(other, p_value=self.p_value, family=self.family).sentence()
        games = 2 * sum(self.pentanomial)
        if self.better:
            return f"{self.first} is better than {self.second}: {self.found}, {games:,} games"
        more = games_to_show(SMALL_DIFFERENCE, self.found.elo_low, self.found.elo_high, games)
        shown = "no difference shown"
        if self.found.elo_low > 0 or self.found.elo_high < 0:
            shown += f" (p = {self.p_value:.3f} with Holm's correction for {self.family} comparisons)"
        text = f"{self.first} and {self.second}: {shown}, {self.found}, {games:,} games"
        if more is None or more <= games:
            return text
        return f"{text}; about {more:,} games would be needed to show {SMALL_DIFFERENCE:g} Elo"


def holm(p_values: Sequence[float]) -> list[float]:
    """Return p-values corrected for the number of comparisons (Holm 1979).

    If differences with a corrected value below 0.05 count as shown, the probability that one of them does not exist is
    at most 0.05, however many comparisons there are.
    """
    corrected = [0.0] * len(p_values)
    largest = 0.0
    for rank, index in enumerate(sorted(range(len(p_values)), key=p_values.__getitem__)):
        largest = max(largest, min(1.0, (len(p_values) - rank) * p_values[index]))
        corrected[index] = largest
    return corrected


def games_to_show(elo: float, low: float, high: float, games: int) -> int | None:
    """Return the number of games that would detect a difference of ``elo`` with a probability of :data:`POWER`.

    The interval shrinks with the square root of the number of games. The result is None if it is infinite.

    :param low, high: the interval after ``games``.
    """
    if not (math.isfinite(low) and math.isfinite(high)):
        return None
    needed = games * ((high - low) / 2 * (1 + NormalDist().inv_cdf(POWER) / DEVIATIONS) / elo) ** 2
    return rounded_count(needed)


def rounded_count(games: float) -> int:
    """Round a number of games to :data:`DIGITS` significant digits, and raise it to 2 if it is smaller."""
    unit = 10.0 ** max(0, math.floor(math.log10(max(1.0, games))) - DIGITS + 1)
    return max(2, round(games / unit) * int(unit))


Tallies = dict[tuple[str, str], Tally]  # keyed by two names, from the first one's point of view


def shared_places(ranks: Sequence[object]) -> list[int]:
    """Return the place of each row of a sorted table, from 1. Rows with equal ranks share the best of their places."""
    first = dict[object, int]()
    return [first.setdefault(rank, place) for place, rank in enumerate(ranks, 1)]


@dataclass(frozen=True, slots=True, kw_only=True)
class HeadToHead(Score):
    """The score in all games between two engines, from the first one's point of view."""

    first: str
    second: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Row(Score):
    """One engine's line in the table.

    :param elo, error: the rating relative to the average of the field, or of the engines whose mean is 0, and half the
        width of its 95 % interval.
    :param superiority: the likelihood of being stronger than the next engine, or None for the last engine or if one of
        the two has not played.
    :param forfeits: the number of games lost by a verdict on the engine's behaviour rather than on the position.
    """

    name: str
    elo: float
    error: float
    superiority: float | None
    forfeits: int


@dataclass(frozen=True, slots=True)
class Standings:
    """The table, best engine first, and the data behind it."""

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
    """Return the table of the engines ``names`` after ``results``.

    Points count all games; ratings, errors, superiority and mean margins count only the distinct ones.

    :param order: the names in the order of the table; by default the best rating comes first.
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
    """Return the ratings of the engines ``names``, in that order, from the distinct games in ``results``."""
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
    """Return the score of each pair of engines that have met."""
    return _meetings(_tallies(results))


def _tallies(results: Iterable[Result]) -> Tallies:
    games: dict[tuple[str, str], dict[int, list[Result]]] = defaultdict(lambda: defaultdict(list))
    for result in sorted(results, key=attrgetter("number")):
        games[result.id.pair][result.id.round].append(result)
    return {names: Tally.of(list(map(pair_of_games, rounds.values()))) for names, rounds in games.items()}


def _meetings(tallies: Tallies) -> tuple[HeadToHead, ...]:
    return tuple(HeadToHead(**tally.score(), first=first, second=second) for (first, second), tally in tallies.items())
