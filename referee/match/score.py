"""Pure functions for a match's statistics: points, Elo and its error bars.

The two games from one opening are not independent, so the statistical unit is the pair (the pentanomial model).
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import ROUND_HALF_UP, Decimal
from statistics import NormalDist
from typing import Any, Generic, NamedTuple, TypeVar

from quietmove.referee.config.model import Color

Outcome = TypeVar("Outcome", bound=Hashable)


class GameForEngine(NamedTuple):
    """The result of a game for one of its engines.

    :param points: 1, 0.5 or 0.
    :param margin: the number of points by which the engine won; negative if it lost.
    :param moves: all moves of the game, including the opening.
    :param reason: the referee's verdict.
    """

    points: float
    margin: int
    moves: str
    reason: str


class PairOfGames(NamedTuple):
    """Two games from the same opening with colours swapped, or only the first if the second is still unplayed.

    :param start: the engines and the opening; only pairs with the same start can repeat each other.
    :param games: the results for one of the engines, by its colour.
    """

    start: Hashable
    games: Mapping[Color, GameForEngine]


@dataclass(slots=True)
class _Group(Generic[Outcome]):
    """All pairs so far that have the same start.

    :ivar games: the game results in all pairs so far, by colour.
    :ivar size, counted: while all pairs are equal, only one of them counts; these are its number of games and outcome.
    :ivar repeats: the outcomes of the pairs that do not count.
    """

    games: dict[Color, GameForEngine]
    size: int
    counted: Outcome
    repeats: list[Outcome] = field(default_factory=list)
    are_equal: bool = True


class DistinctPairs(Generic[Outcome]):
    """A counter of the pairs that do not repeat another pair. Adding a pair takes constant time.

    Pairs with the same start repeat each other if all their games with the same colours are equal. Of these, only the
    first pair with the most games counts.

    :ivar counts: the number of distinct pairs with each outcome.
    """

    def __init__(self) -> None:
        self.counts: Counter[Outcome] = Counter()
        self._groups: dict[Hashable, _Group[Outcome]] = {}

    @property
    def distinct(self) -> int:
        """The number of distinct pairs."""
        return self.counts.total()

    def add(self, pair: PairOfGames, outcome: Outcome) -> None:
        """Add a pair. Once two pairs with the same start differ, all pairs with that start count."""
        group = self._groups.get(pair.start)
        if group is None:
            self._groups[pair.start] = _Group(dict(pair.games), len(pair.games), outcome)
        elif group.are_equal:
            group.are_equal = all(group.games.setdefault(color, game) == game for color, game in pair.games.items())
            if not group.are_equal:
                self.counts.update(group.repeats)
            elif len(pair.games) <= group.size:
                group.repeats.append(outcome)
                return
            else:
                group.repeats.append(group.counted)
                self.counts[group.counted] -= 1
                group.size, group.counted = len(pair.games), outcome
        self.counts[outcome] += 1


CONFIDENCE = 0.95
DEVIATIONS = NormalDist().inv_cdf((1 + CONFIDENCE) / 2)  # half the width of an interval, in standard deviations
GAMES_OF_PAIR = 2
OUTCOMES_OF_PAIR = 5  # 0, ½, 1, 1½ and 2 points
# One standard deviation of a game in normalized Elo (Van den Bergh); near equality, without draws, this equals Elo.
NORMALIZED_ELO = 800 / math.log(10)


@dataclass(frozen=True, slots=True)
class Estimate:
    """An estimate of one side's advantage in strength, computed from a sample.

    :param score: the mean outcome, from 0 to 1.
    :param elo: the Elo difference that corresponds to this score; infinite at 0 and 1.
    :param elo_low, elo_high: the ends of the confidence interval.
    :param superiority: the likelihood that the side is stronger, from 0 to 1.
    :param normalized: normalized Elo: the excess of the mean score over one half, measured in standard deviations of a
        game; infinite if all outcomes are equal.
    :param normalized_error: half the width of the confidence interval of ``normalized``.
    """

    score: float
    elo: float
    elo_low: float
    elo_high: float
    superiority: float
    normalized: float
    normalized_error: float

    def __str__(self) -> str:
        low = elo_text(self.elo_low, 0)
        high = elo_text(self.elo_high, 0)
        return f"{elo_text(self.elo, 0)} Elo ({CONFIDENCE:.0%}: {low} to {high})"

    def normalized_text(self, digits: int = 0) -> str:
        """Return normalized Elo with its error; without any spread of the outcomes, there is none."""
        if not math.isfinite(self.normalized):
            return "normalized Elo unknown, because all results are equal"
        return f"normalized Elo {elo_text(self.normalized, digits)} ± {fixed(self.normalized_error, digits)}"

    def lines(self) -> tuple[str, str, str]:
        """Return Elo with its interval, normalized Elo with its error, and the likelihood."""
        low = elo_text(self.elo_low)
        high = elo_text(self.elo_high)
        return (
            f"Elo {elo_text(self.elo)}, {CONFIDENCE:.0%} between {low} and {high}",
            self.normalized_text(1),
            f"likelihood of superiority {self.superiority:.1%}",
        )


@dataclass(frozen=True, slots=True)
class Margin:
    """One side's mean winning margin per game, in points (in Othello, discs).

    :param mean: the mean over the distinct pairs of each pair's mean margin.
    :param error: the standard error of this mean, with pairs as the unit, or None for fewer than two pairs.
    """

    mean: float
    error: float | None

    @classmethod
    def of(cls, margins: Counter[float]) -> Margin:
        """Compute the margin; ``margins`` counts the pairs by their mean margin."""
        pairs = margins.total()
        mean = sum(value * count for value, count in margins.items()) / max(1, pairs)
        if pairs < 2:
            return cls(mean, None)
        variance = sum(count * (value - mean) ** 2 for value, count in margins.items()) / (pairs - 1)
        return cls(mean, math.sqrt(variance / pairs))

    def __str__(self) -> str:
        return f"{self.mean:+.2f}" + ("" if self.error is None else f" ± {self.error:.2f} (standard error)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Score:
    """One engine's score, against one opponent or all of them.

    :param distinct: the number of games in distinct pairs; see :class:`DistinctPairs`.
    :param margin: the sum of the margins of all games, in points (in Othello, discs).
    :param distinct_margin: the mean margin per game over the distinct pairs.
    :param pentanomial: the number of complete distinct pairs that scored 0, ½, 1, 1½ and 2 points.
    """

    games: int
    distinct: int
    wins: int
    draws: int
    losses: int
    points: float
    margin: int
    distinct_margin: Margin
    pentanomial: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Tally:
    """Counts of the outcomes of one engine's games and distinct pairs.

    :ivar games: the number of games for each (points, margin).
    :ivar pairs: the number of distinct pairs for each (number of games, total points, total margin).
    """

    games: Counter[tuple[float, int]] = field(default_factory=Counter)
    pairs: Counter[tuple[int, float, int]] = field(default_factory=Counter)

    @classmethod
    def of(cls, pairs: Sequence[PairOfGames]) -> Tally:
        """Count the outcomes of ``pairs``, given from one engine's point of view."""
        games = Counter[tuple[float, int]]()
        counted = DistinctPairs[tuple[int, float, int]]()
        for pair in pairs:
            results = [(game.points, game.margin) for game in pair.games.values()]
            games.update(results)
            points, margins = zip(*results, strict=True)
            counted.add(pair, (len(results), sum(points), sum(margins)))
        return cls(games, +counted.counts)

    def add(self, other: Tally) -> None:
        """Add the same engine's results against another opponent."""
        self.games.update(other.games)
        self.pairs.update(other.pairs)

    def reversed(self) -> Tally:
        """Return the same results from the other engine's point of view."""
        return Tally(
            Counter({(1 - points, -margin): count for (points, margin), count in self.games.items()}),
            Counter({(games, games - points, -margin): count for (games, points, margin), count in self.pairs.items()}),
        )

    def score(self) -> dict[str, Any]:
        """Return the fields of :class:`Score`."""
        points = Counter[float]()
        outcomes = Counter[float]()
        margins = Counter[float]()
        for (won, _), count in self.games.items():
            points[won] += count
        for (games, won, margin), count in self.pairs.items():
            outcomes[won] += count * (games == GAMES_OF_PAIR)
            margins[margin / games] += count
        return {
            "games": self.games.total(),
            "distinct": sum(games * count for (games, _, _), count in self.pairs.items()),
            "wins": points[1],
            "draws": points[0.5],
            "losses": points[0],
            "points": float(sum(won * count for won, count in points.items())),
            "margin": sum(margin * count for (_, margin), count in self.games.items()),
            "distinct_margin": Margin.of(margins),
            "pentanomial": tuple(outcomes[outcome / 2] for outcome in range(OUTCOMES_OF_PAIR)),
        }


def elo_from_score(score: float) -> float:
    """Return the Elo difference at which the expected score is ``score``, infinite for scores of 0 and 1."""
    if score <= 0:
        return -math.inf
    if score >= 1:
        return math.inf
    return 400 * math.log10(score / (1 - score))


def elo_text(value: float, digits: int = 1) -> str:
    """Format an Elo difference."""
    if not math.isfinite(value):
        return "+infinite" if value > 0 else "-infinite"
    return signed(value, digits)


def fixed(value: float, digits: int = 0) -> str:
    """Format a number like JavaScript's ``toFixed``, which rounds half away from 0."""
    return str(Decimal(value).quantize(Decimal(1).scaleb(-digits), ROUND_HALF_UP))


def signed(value: float, digits: int = 0) -> str:
    """Format a number with its sign, as the pages do; a number that rounds to 0 has no sign."""
    text = fixed(abs(value), digits)
    return f"{'-' if value < 0 else '+'}{text}" if float(text) else text


def estimate(counts: Sequence[int]) -> Estimate | None:
    """Return the estimate from a sample, or None if the sample is empty.

    The interval is the normal approximation for the mean score. If all outcomes are equal, the widest possible spread
    is assumed, which gives Wilson's interval (1927), so that a single won pair proves little.

    :param counts: the frequency of each outcome, worst first; the outcomes are evenly spaced from 0 to 1. For
        games these are losses, draws and wins; for pairs, 0, ½, 1, 1½ and 2 points.
    """
    size = sum(counts)
    if size == 0:
        return None
    games = (len(counts) - 1) / 2  # an outcome of a pair covers two games
    outcomes = [index / (len(counts) - 1) for index in range(len(counts))]
    score = sum(count * outcome for count, outcome in zip(counts, outcomes, strict=True)) / size
    squares = sum(count * (outcome - score) ** 2 for count, outcome in zip(counts, outcomes, strict=True))
    if squares > 0:
        deviation = math.sqrt(squares) / size
        low, high = score - DEVIATIONS * deviation, score + DEVIATIONS * deviation
    else:
        deviation = 0.5 / math.sqrt(size)
        low, high = _wilson(score, size)
    return Estimate(
        score=score,
        elo=elo_from_score(score),
        elo_low=elo_from_score(low),
        elo_high=elo_from_score(high),
        superiority=NormalDist().cdf((score - 0.5) / deviation),
        normalized=_normalized(score, math.sqrt(squares / size * games)),
        normalized_error=DEVIATIONS * NORMALIZED_ELO / math.sqrt(size * games),
    )


def _normalized(score: float, deviation: float) -> float:
    """Return the normalized Elo of a mean score; ``deviation`` is the standard deviation of a single game."""
    if deviation == 0:
        return math.copysign(math.inf, score - 0.5) if score != 0.5 else 0.0
    return NORMALIZED_ELO * (score - 0.5) / deviation


def _wilson(score: float, size: int) -> tuple[float, float]:
    z = DEVIATIONS
    centre = score + z * z / (2 * size)
    half = z * math.sqrt(score * (1 - score) / size + z * z / (4 * size * size))
    low, high = (centre - half) / (1 + z * z / size), (centre + half) / (1 + z * z / size)
    return (0.0 if score == 0 else low), (1.0 if score == 1 else high)  # exact at both ends, without rounding errors
