"""From stored results to a table: points, ratings, margins. Pure."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from operator import attrgetter
from statistics import fmean
from typing import Any

from quietmove.referee.match.repeats import distinct_pairs
from quietmove.referee.match.score import OUTCOMES_OF_PAIR, Margin
from quietmove.tournament.games import Result, pair_of_games
from quietmove.tournament.statistics.rating import Contrast, PairScore, Ratings, rate

__all__ = ["Meeting", "Row", "Score", "Standings", "compare", "meetings", "standings"]

Key = tuple[int, tuple[str, str]]  # of a pair of games over one opening: the round, and the names
Pairs = dict[Key, list[Result]]
Games = list[tuple[list[Result], bool]]  # pairs of games, and whether each is distinct


@dataclass(frozen=True, slots=True, kw_only=True)
class Score:
    """What one engine scored, against all others or against one.

    :param distinct: games that do not repeat another; see :mod:`quietmove.referee.match.repeats`.
    :param margin: sum of the margins of all games, in the game's points (discs in Othello).
    :param distinct_margin: mean of the distinct pairs, a game.
    """

    games: int
    distinct: int
    wins: int
    draws: int
    losses: int
    points: float
    margin: int
    distinct_margin: Margin


@dataclass(frozen=True, slots=True, kw_only=True)
class Meeting(Score):
    """All games between two engines, from the view of the first.

    :param pentanomial: completed distinct pairs of games that brought the first 0, ½, 1, 1½ and 2 points.
    """

    first: str
    second: str
    pentanomial: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Row(Score):
    """One engine's line of the table.

    :param elo, error: against the average of the field, with half the width of its 95 % interval.
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

    def crosstable(self) -> dict[tuple[str, str], float]:
        """Return the points of each engine against each other that it has met."""
        points = {(each.first, each.second): each.points for each in self.meetings}
        return points | {(each.second, each.first): each.games - each.points for each in self.meetings}


def standings(names: Sequence[str], results: Iterable[Result], order: Sequence[str] | None = None) -> Standings:
    """Return the table of the engines called ``names`` after ``results``.

    Points are of all games; ratings, errors, superiority and mean margins are of the distinct ones.

    :param order: the names in the order of the table; by default the best rating is first.
    """
    pairs = _pairs(sorted(results, key=attrgetter("number")))
    kept = _distinct(pairs)
    ratings = _rate(names, [pairs[key] for key in kept])
    if order is None:
        places = sorted(range(len(names)), key=lambda i: (-round(ratings.elo[i], 6), i))
    else:
        index = {name: i for i, name in enumerate(names)}
        places = [index[name] for name in order]
    games: dict[str, Games] = {name: [] for name in names}
    for key, of_pair in pairs.items():
        for name in key[1]:
            games[name].append((of_pair, key in kept))
    followers = dict(pairwise(places))
    forfeits = Counter(game.forfeited_by for of_pair in pairs.values() for game in of_pair)
    rows = []
    for i in places:
        known = i in followers and all(games[names[each]] for each in (i, followers[i]))
        rows.append(
            Row(
                **_score(names[i], games[names[i]]),
                name=names[i],
                elo=ratings.elo[i],
                error=ratings.error(i),
                superiority=ratings.superiority(i, followers[i]) if known else None,
                forfeits=forfeits[names[i]],
            )
        )
    distinct = sum(len(pairs[key]) for key in kept)
    return Standings(tuple(rows), _meetings(pairs, kept), sum(map(len, pairs.values())), distinct)


def meetings(results: Iterable[Result]) -> tuple[Meeting, ...]:
    """Return what each two engines that met scored against each other."""
    pairs = _pairs(sorted(results, key=attrgetter("number")))
    return _meetings(pairs, _distinct(pairs))


def compare(names: Sequence[str], results: Iterable[Result], chosen: Collection[str]) -> Contrast:
    """Return how much stronger the ``chosen`` engines are than the others, mean against mean."""
    others = len(names) - len(chosen)
    weights = {i: 1 / len(chosen) if name in chosen else -1 / others for i, name in enumerate(names)}
    pairs = _pairs(sorted(results, key=attrgetter("number")))
    return _rate(names, [pairs[key] for key in _distinct(pairs)]).contrast(weights)


def _pairs(results: Iterable[Result]) -> Pairs:
    """Return the games by round and pair of engines."""
    pairs: Pairs = defaultdict(list)
    for result in results:
        pairs[result.id.round, result.id.pair].append(result)
    return pairs


def _distinct(pairs: Pairs) -> dict[Key, None]:
    """Return the keys of ``pairs``, in their order, without those that repeat another."""
    kept = distinct_pairs({key: pair_of_games(games) for key, games in pairs.items()})
    return {key: None for key in pairs if key in kept}


def _rate(names: Sequence[str], pairs: Iterable[Sequence[Result]]) -> Ratings:
    index = {name: i for i, name in enumerate(names)}
    scores = []
    for games in pairs:
        first, second = games[0].id.pair
        points = sum(game.points_first() for game in games)
        scores.append(PairScore(index[first], index[second], len(games), points))
    return rate(len(names), scores)


def _score(name: str, games: Games) -> dict[str, Any]:
    """Return the fields of :class:`Score` after ``games`` of an engine."""
    points = [game.points_of(name) for of_pair, _ in games for game in of_pair]
    margins = [[game.margin_of(name) for game in of_pair] for of_pair, _ in games]
    distinct = [each for each, (_, is_distinct) in zip(margins, games, strict=True) if is_distinct]
    return {
        "games": len(points),
        "distinct": sum(map(len, distinct)),
        "wins": points.count(1),
        "draws": points.count(0.5),
        "losses": points.count(0),
        "points": sum(points),
        "margin": sum(map(sum, margins)),
        "distinct_margin": Margin.of([fmean(each) for each in distinct]),
    }


def _meetings(pairs: Pairs, kept: Collection[Key]) -> tuple[Meeting, ...]:
    by_names: dict[tuple[str, str], Games] = defaultdict(list)
    for key, of_pair in pairs.items():
        by_names[key[1]].append((of_pair, key in kept))
    meetings = []
    for (first, second), games in by_names.items():
        complete = [of_pair for of_pair, is_distinct in games if is_distinct and len(of_pair) == 2]
        points = Counter(sum(game.points_first() for game in of_pair) for of_pair in complete)
        pentanomial = tuple(points[outcome / 2] for outcome in range(OUTCOMES_OF_PAIR))
        meetings.append(Meeting(**_score(first, games), first=first, second=second, pentanomial=pentanomial))
    return tuple(meetings)
