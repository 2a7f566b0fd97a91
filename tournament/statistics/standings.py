"""From stored results to a table: points, ratings, margins. Pure."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from operator import attrgetter

from quietmove.referee.match.score import Score, Tally
from quietmove.tournament.games import Result, pair_of_games
from quietmove.tournament.statistics.rating import PairScore, Ratings, rate

Tallies = dict[tuple[str, str], Tally]  # two names, and how their games went for the first


@dataclass(frozen=True, slots=True, kw_only=True)
class Meeting(Score):
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
    meetings: tuple[Meeting, ...]
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
    ratings, fixed = _rated(names, met), [index[name] for name in zero]
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


def meetings(results: Iterable[Result]) -> tuple[Meeting, ...]:
    """Return what each two engines that met scored against each other."""
    return _meetings(_tallies(results))


def _tallies(results: Iterable[Result]) -> Tallies:
    games: dict[tuple[str, str], dict[int, list[Result]]] = defaultdict(lambda: defaultdict(list))
    for result in sorted(results, key=attrgetter("number")):
        games[result.id.pair][result.id.round].append(result)
    return {names: Tally.of(list(map(pair_of_games, rounds.values()))) for names, rounds in games.items()}


def _meetings(tallies: Tallies) -> tuple[Meeting, ...]:
    return tuple(Meeting(**tally.score(), first=first, second=second) for (first, second), tally in tallies.items())
