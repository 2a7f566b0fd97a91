"""From stored results to a table: points, ratings, margins. Pure."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from operator import attrgetter

from quietmove.referee.match.evidence import distinct_pairs
from quietmove.referee.match.score import Margin
from quietmove.tournament.games import Result, pair_of_games
from quietmove.tournament.statistics.rating import Contrast, PairScore, Ratings, rate

__all__ = ["Meeting", "Row", "Standings", "compare", "meetings", "standings"]

Key = tuple[int, tuple[str, str]]  # of a pair of games over one opening: the round, and the names
Pairs = dict[Key, list[Result]]


@dataclass(frozen=True, slots=True)
class Meeting:
    """All games between two engines, from the view of the first.

    :param distinct: games that do not repeat another; see :mod:`quietmove.referee.match.evidence`.
    :param pentanomial: completed distinct pairs of games that brought the first 0, ½, 1, 1½ and 2 points.
    :param margin: sum over all games, in the game's points.
    :param distinct_margin: mean of the distinct pairs, a game.
    """

    first: str
    second: str
    games: int
    distinct: int
    wins: int
    draws: int
    losses: int
    points: float
    pentanomial: tuple[int, int, int, int, int]
    margin: int
    distinct_margin: Margin


@dataclass(frozen=True, slots=True)
class Row:
    """One engine's line of the table.

    :param distinct: games that do not repeat another; see :mod:`quietmove.referee.match.evidence`.
    :param elo, error: against the average of the field, with half the width of its 95 % interval.
    :param superiority: likelihood of being stronger than the next line's engine; ``None`` in the last line, and where
        one of the two has not played.
    :param margin: sum of the margins of all games, in the game's points (discs in Othello).
    :param distinct_margin: mean of the distinct pairs, a game.
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
    distinct_margin: Margin
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
    followers = dict(pairwise(places))
    scores = _scores(names, pairs, kept)
    rows = []
    for i in places:
        known = i in followers and all(scores[names[each]].games for each in (i, followers[i]))
        superiority = ratings.superiority(i, followers[i]) if known else None
        rows.append(scores[names[i]].row(names[i], ratings.elo[i], ratings.error(i), superiority))
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


@dataclass(slots=True)
class _Score:
    """What one engine has scored; the margins are those of its distinct pairs."""

    games: int = 0
    distinct: int = 0
    wins: int = 0
    draws: int = 0
    points: float = 0.0
    margin: int = 0
    margins: list[float] = field(default_factory=list)
    forfeits: int = 0

    def add(self, games: Sequence[Result], is_first: bool, is_distinct: bool) -> None:
        """Count a pair of games, of which the engine is the first or the second."""
        margins = [game.margin_first() if is_first else -game.margin_first() for game in games]
        for game in games:
            points = game.points_first() if is_first else 1 - game.points_first()
            self.points += points
            self.wins += points == 1
            self.draws += points == 0.5
            self.forfeits += game.forfeited_by == game.id.pair[not is_first]
        self.games += len(games)
        self.margin += sum(margins)
        if is_distinct:
            self.distinct += len(games)
            self.margins.append(sum(margins) / len(games))

    @property
    def losses(self) -> int:
        return self.games - self.wins - self.draws

    def row(self, name: str, elo: float, error: float, superiority: float | None) -> Row:
        """Return the line of the table."""
        return Row(
            name=name,
            games=self.games,
            distinct=self.distinct,
            wins=self.wins,
            draws=self.draws,
            losses=self.losses,
            points=self.points,
            elo=elo,
            error=error,
            superiority=superiority,
            margin=self.margin,
            distinct_margin=Margin.of(self.margins),
            forfeits=self.forfeits,
        )


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


def _scores(names: Iterable[str], pairs: Pairs, kept: Collection[Key]) -> dict[str, _Score]:
    scores = {name: _Score() for name in names}
    for key, games in pairs.items():
        for name, is_first in zip(key[1], (True, False), strict=True):
            scores[name].add(games, is_first, key in kept)
    return scores


def _meetings(pairs: Pairs, kept: Collection[Key]) -> tuple[Meeting, ...]:
    by_names: dict[tuple[str, str], list[Key]] = defaultdict(list)
    for key in pairs:
        by_names[key[1]].append(key)
    meetings = []
    for (first, second), keys in by_names.items():
        score = _Score()
        complete = []
        for key in keys:
            score.add(pairs[key], is_first=True, is_distinct=key in kept)
            if key in kept and len(pairs[key]) == 2:
                complete.append(sum(game.points_first() for game in pairs[key]))
        a, b, c, d, e = (complete.count(points) for points in (0, 0.5, 1, 1.5, 2))
        margin = Margin.of(score.margins)
        meetings.append(
            Meeting(
                first=first,
                second=second,
                games=score.games,
                distinct=score.distinct,
                wins=score.wins,
                draws=score.draws,
                losses=score.losses,
                points=score.points,
                pentanomial=(a, b, c, d, e),
                margin=score.margin,
                distinct_margin=margin,
            )
        )
    return tuple(meetings)
