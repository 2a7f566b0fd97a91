"""From stored results to a table: points, ratings, margins. Pure."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from quietmove.referee.evidence import distinct_pairs
from quietmove.tournament.rating import Contrast, PairScore, Ratings, rate
from quietmove.tournament.schedule import Result, pair_of_games

__all__ = ["Meeting", "Row", "Standings", "compare", "standings"]

Pairs = dict[tuple[int, tuple[str, str]], list[Result]]  # by round and names: the games over one opening


@dataclass(frozen=True, slots=True)
class Meeting:
    """All games between two engines, from the view of the first.

    :param distinct: games that do not repeat another; see :mod:`quietmove.referee.evidence`.
    :param pentanomial: completed distinct pairs of games that brought the first 0, ½, 1, 1½ and 2 points.
    """

    first: str
    second: str
    games: int
    distinct: int
    points: float
    pentanomial: tuple[int, int, int, int, int]
    margin: int


@dataclass(frozen=True, slots=True)
class Row:
    """One engine's line of the table.

    :param distinct: games that do not repeat another; see :mod:`quietmove.referee.evidence`.
    :param elo, error: against the average of the field, with half the width of its 95 % interval.
    :param superiority: likelihood of being stronger than the next line's engine; ``None`` in the last line.
    :param margin: sum of the margins, in the game's points (discs in Othello).
    :param forfeits: games lost by a verdict on the engine and not on the board.
    """

    name: str
    games: int
    distinct: int
    wins: int
    draws: int
    losses: int
    points: float
    elo: float
    error: float
    superiority: float | None
    margin: int
    forfeits: int

    @property
    def margin_per_game(self) -> float:
        """The mean margin; 0 before the first game."""
        return self.margin / self.games if self.games else 0.0


@dataclass(frozen=True, slots=True)
class Standings:
    """The table, best engine first, and what it is made of."""

    rows: tuple[Row, ...]
    meetings: tuple[Meeting, ...]
    games: int
    distinct: int

    def meeting(self, name: str, other: str) -> tuple[float, int]:
        """Return the points of ``name`` against ``other`` and the games between them."""
        for meeting in self.meetings:
            if (meeting.first, meeting.second) == (name, other):
                return meeting.points, meeting.games
            if (meeting.second, meeting.first) == (name, other):
                return meeting.games - meeting.points, meeting.games
        return 0.0, 0


def standings(names: Sequence[str], results: Iterable[Result], order: Sequence[str] | None = None) -> Standings:
    """Return the table of the engines called ``names`` after ``results``.

    Points and margins are of all games; ratings, errors and superiority are of the distinct ones.

    :param order: the names in the order of the table; by default the best rating is first.
    """
    results = sorted(results, key=lambda result: result.number)
    pairs = _pairs(results)
    distinct = _distinct(pairs)
    ratings = _rate(names, distinct)
    if order is None:
        places = sorted(range(len(names)), key=lambda i: (-round(ratings.elo[i], 6), i))
    else:
        places = [names.index(name) for name in order]
    followers = dict(pairwise(places))
    rows = []
    for i in places:
        superiority = ratings.superiority(i, followers[i]) if i in followers else None
        rows.append(_row(names[i], pairs, distinct, ratings.elo[i], ratings.error(i), superiority))
    return Standings(tuple(rows), _meetings(pairs, distinct), len(results), sum(map(len, distinct.values())))


def compare(names: Sequence[str], results: Iterable[Result], chosen: Collection[str]) -> Contrast:
    """Return how much stronger the ``chosen`` engines are than the others, mean against mean."""
    others = len(names) - len(chosen)
    weights = [1 / len(chosen) if name in chosen else -1 / others for name in names]
    pairs = _pairs(sorted(results, key=lambda result: result.number))
    return _rate(names, _distinct(pairs)).contrast(weights)


def _pairs(results: Iterable[Result]) -> Pairs:
    """Return the games by round and pair of engines."""
    pairs: Pairs = defaultdict(list)
    for result in results:
        pairs[result.id.round, result.id.pair].append(result)
    return pairs


def _distinct(pairs: Pairs) -> Pairs:
    """Return ``pairs`` without those that repeat another."""
    kept = distinct_pairs({key: pair_of_games(games) for key, games in pairs.items()})
    return {key: games for key, games in pairs.items() if key in kept}


def _rate(names: Sequence[str], pairs: Pairs) -> Ratings:
    index = {name: i for i, name in enumerate(names)}
    scores = [
        PairScore(index[first], index[second], len(games), sum(game.points_first() for game in games))
        for (_, (first, second)), games in pairs.items()
    ]
    return rate(len(names), scores)


def _row(name: str, pairs: Pairs, distinct: Pairs, elo: float, error: float, superiority: float | None) -> Row:
    mine = [game for (_, pair), games in pairs.items() if name in pair for game in games]
    points = [result.points_first() if result.id.pair[0] == name else 1 - result.points_first() for result in mine]
    return Row(
        name=name,
        games=len(mine),
        distinct=sum(len(games) for (_, pair), games in distinct.items() if name in pair),
        wins=points.count(1),
        draws=points.count(0.5),
        losses=points.count(0),
        points=sum(points),
        elo=elo,
        error=error,
        superiority=superiority,
        margin=sum(result.margin_first() if result.id.pair[0] == name else -result.margin_first() for result in mine),
        forfeits=sum(result.forfeited_by == name for result in mine),
    )


def _meetings(pairs: Pairs, distinct: Pairs) -> tuple[Meeting, ...]:
    of_distinct = _by_names(distinct)
    meetings = []
    for (first, second), all_encounters in _by_names(pairs).items():
        games = [game for encounter in all_encounters for game in encounter]
        encounters = of_distinct[first, second]
        complete = [sum(game.points_first() for game in encounter) for encounter in encounters if len(encounter) == 2]
        distinct_games = sum(map(len, encounters))
        a, b, c, d, e = (complete.count(points) for points in (0, 0.5, 1, 1.5, 2))
        points = sum(game.points_first() for game in games)
        margin = sum(game.margin_first() for game in games)
        meetings.append(Meeting(first, second, len(games), distinct_games, points, (a, b, c, d, e), margin))
    return tuple(meetings)


def _by_names(pairs: Pairs) -> dict[tuple[str, str], list[list[Result]]]:
    """Return the pairs of games between each two engines."""
    by_names: dict[tuple[str, str], list[list[Result]]] = defaultdict(list)
    for (_, names), games in pairs.items():
        by_names[names].append(games)
    return by_names
