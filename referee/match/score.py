"""The arithmetic of a match: points, Elo and its error bars. Pure.

The two games over one opening are not independent, so the unit of statistics is the pair (the pentanomial model).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import NormalDist

__all__ = [
    "CONFIDENCE",
    "NORMALIZED_ELO",
    "OUTCOMES_OF_PAIR",
    "Estimate",
    "Margin",
    "Tally",
    "elo_from_score",
    "elo_text",
    "estimate",
    "tally",
]

CONFIDENCE = 0.95
OUTCOMES_OF_PAIR = 5  # 0, ½, 1, 1½ and 2 points
NORMALIZED_ELO = 800 / math.log(10)  # in one standard deviation of a game; so that near equal play without draws it is
# Elo (Van den Bergh, "Normalized Elo")


@dataclass(frozen=True, slots=True)
class Tally:
    """What the first engine of a match scored.

    :param pairs: how many pairs of games brought it 0, ½, 1, 1½ and 2 points; a pair that was not played to its end is
        not among them.
    """

    wins: int
    draws: int
    losses: int
    pairs: tuple[int, int, int, int, int]

    @property
    def games(self) -> int:
        """Games played."""
        return self.wins + self.draws + self.losses

    @property
    def points(self) -> float:
        """A win counts 1, a draw ½."""
        return self.wins + self.draws / 2


@dataclass(frozen=True, slots=True)
class Estimate:
    """How much stronger one side is, from a sample.

    :param score: mean of the outcomes, 0 to 1.
    :param elo: the Elo difference that this score stands for; infinite at 0 and 1.
    :param elo_low, elo_high: the ends of the confidence interval.
    :param superiority: likelihood that the side is the stronger one, 0 to 1.
    :param normalized: normalized Elo, the mean score above one half in deviations of a game; infinite without spread.
    :param normalized_error: half the width of its confidence interval.
    """

    score: float
    elo: float
    elo_low: float
    elo_high: float
    superiority: float
    normalized: float
    normalized_error: float


@dataclass(frozen=True, slots=True)
class Margin:
    """By how many of the game's points one side won, discs in Othello, a game.

    :param mean: of the distinct pairs of games, each with the mean of its games.
    :param error: standard error of this mean, by pairs; ``None`` of fewer than two.
    """

    mean: float
    error: float | None

    @classmethod
    def of(cls, values: Sequence[float]) -> Margin:
        """Return what the margins of pairs say."""
        mean = sum(values) / max(1, len(values))
        if len(values) < 2:
            return cls(mean, None)
        variance = sum((value - mean) ** 2 for value in values) / (len(values) - 1)
        return cls(mean, math.sqrt(variance / len(values)))


def tally(points: Mapping[int, float]) -> Tally:
    """Count the games of a match; ``points`` gives the first engine's points by the number of the game.

    Games 2k and 2k+1 are a pair.
    """
    pairs = [0] * OUTCOMES_OF_PAIR
    for number, value in points.items():
        if number % 2 == 0 and number + 1 in points:
            pairs[round(2 * (value + points[number + 1]))] += 1
    counts = [sum(value == outcome for value in points.values()) for outcome in (1, 0.5, 0)]
    return Tally(counts[0], counts[1], counts[2], (pairs[0], pairs[1], pairs[2], pairs[3], pairs[4]))


def elo_from_score(score: float) -> float:
    """Return the Elo difference at which ``score`` (0 to 1) is expected; infinite at the ends."""
    if score <= 0:
        return -math.inf
    if score >= 1:
        return math.inf
    return 400 * math.log10(score / (1 - score))


def elo_text(value: float) -> str:
    """Return an Elo difference as people read it."""
    return f"{value:+.1f}" if math.isfinite(value) else ("+infinite" if value > 0 else "-infinite")


def estimate(counts: Sequence[int], confidence: float = CONFIDENCE) -> Estimate | None:
    """Return what a sample says, or None if it is empty.

    The interval is the normal one on the mean score. Where all outcomes are alike the sample shows no spread; the
    widest possible one is assumed then, which makes it Wilson's interval (1927), so that one won pair proves little.

    :param counts: how often each outcome came, worst first, evenly spaced from 0 to 1: losses, draws, wins; or pairs
        by their points.
    """
    size = sum(counts)
    if size == 0:
        return None
    games = (len(counts) - 1) / 2  # of one outcome
    outcomes = [index / (len(counts) - 1) for index in range(len(counts))]
    score = sum(count * outcome for count, outcome in zip(counts, outcomes, strict=True)) / size
    squares = sum(count * (outcome - score) ** 2 for count, outcome in zip(counts, outcomes, strict=True))
    z = NormalDist().inv_cdf((1 + confidence) / 2)
    if squares > 0:
        deviation = math.sqrt(squares) / size
        low, high = score - z * deviation, score + z * deviation
    else:
        deviation = 0.5 / math.sqrt(size)
        low, high = _wilson(score, size, z)
    return Estimate(
        score=score,
        elo=elo_from_score(score),
        elo_low=elo_from_score(low),
        elo_high=elo_from_score(high),
        superiority=NormalDist().cdf((score - 0.5) / deviation),
        normalized=_normalized(score, math.sqrt(squares / size * games)),
        normalized_error=z * NORMALIZED_ELO / math.sqrt(size * games),
    )


def _normalized(score: float, deviation: float) -> float:
    """Return the normalized Elo of a mean score whose ``deviation`` is that of a single game."""
    if deviation == 0:
        return math.copysign(math.inf, score - 0.5) if score != 0.5 else 0.0
    return NORMALIZED_ELO * (score - 0.5) / deviation


def _wilson(score: float, size: int, z: float) -> tuple[float, float]:
    centre = score + z * z / (2 * size)
    half = z * math.sqrt(score * (1 - score) / size + z * z / (4 * size * size))
    low, high = (centre - half) / (1 + z * z / size), (centre + half) / (1 + z * z / size)
    return (0.0 if score == 0 else low), (1.0 if score == 1 else high)  # without rounding errors at the ends
