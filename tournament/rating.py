"""From pairs of games to Elo, error bars and likelihoods of superiority, for any number of players. Pure.

The model is Bradley and Terry's (1952): a player d Elo stronger scores 1 / (1 + 10^(-d/400)) points a game. The ratings
are those of the greatest likelihood. Their errors are not taken from the model, which would treat the two games over
one opening as independent: each *pair of games with colours swapped* is one observation, and the covariance is the
sandwich H^-1 M H^-1 of the curvature H and the observed scatter M of those pairs (Huber 1967; White 1982). For two
players this is the pentanomial variance.

So that a player who has won everything, or has hardly played, has a finite rating with an honest error, each player
starts with :data:`PRIOR_GAMES` imagined games against the average player, half of them won, as in BayesElo.
"""

from __future__ import annotations

import math
import operator
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import NormalDist

from quietmove.referee.score import CONFIDENCE

__all__ = ["PRIOR_GAMES", "Contrast", "PairScore", "Ratings", "rate"]

PRIOR_GAMES = 1.0
ELO = 400 / math.log(10)  # Elo in one unit of the logistic scale
MAX_STEP = 1.0  # of one Newton iteration, on the logistic scale: far from the maximum a full step overshoots
TOLERANCE = 1e-10
MAX_ITERATIONS = 200

Matrix = list[list[float]]


@dataclass(frozen=True, slots=True)
class PairScore:
    """What two players scored over one opening.

    :param first, second: indices of the players.
    :param games: 2, or 1 while the second game is missing.
    :param points: of the first player, 0 to ``games``.
    """

    first: int
    second: int
    games: int
    points: float


@dataclass(frozen=True, slots=True)
class Ratings:
    """Ratings in Elo relative to the average player.

    :param elo: one rating a player; their mean is 0.
    :param covariance: of ``elo``, in Elo squared.
    """

    elo: tuple[float, ...]
    covariance: tuple[tuple[float, ...], ...]

    def error(self, player: int) -> float:
        """Return half the width of the 95 % interval around ``elo[player]``."""
        return self.contrast([float(i == player) for i in range(len(self.elo))]).error

    def superiority(self, player: int, other: int) -> float:
        """Return the likelihood that ``player`` is stronger than ``other``, 0 to 1."""
        return self.contrast([float(i == player) - float(i == other) for i in range(len(self.elo))]).superiority

    def contrast(self, weights: Sequence[float]) -> Contrast:
        """Return the weighted sum of all ratings, such as the mean of some minus the mean of others."""
        elo = sum(map(operator.mul, weights, self.elo))
        variance = sum(map(operator.mul, weights, _times(self.covariance, weights)))
        deviation = math.sqrt(max(0.0, variance))
        if deviation == 0:
            return Contrast(elo, 0.0, 0.5 if elo == 0 else float(elo > 0))
        z = NormalDist().inv_cdf((1 + CONFIDENCE) / 2)
        return Contrast(elo, z * deviation, NormalDist().cdf(elo / deviation))


@dataclass(frozen=True, slots=True)
class Contrast:
    """A difference between ratings, in Elo.

    :param error: half the width of its 95 % interval.
    :param superiority: likelihood that it is above 0, 0 to 1.
    """

    elo: float
    error: float
    superiority: float


def rate(players: int, scores: Iterable[PairScore], prior_games: float = PRIOR_GAMES) -> Ratings:
    """Return the maximum-likelihood ratings of ``players`` players.

    :param prior_games: imagined games of each player against the average. With 0 the ratings are the plain maximum,
        which exists only if no group of players took all points, or none, from the rest.
    """
    meetings: dict[tuple[int, int], list[PairScore]] = defaultdict(list)
    for score in scores:
        meetings[score.first, score.second].append(score)
    strength = [0.0] * players
    for _ in range(MAX_ITERATIONS):
        gradient, curvature = _derivatives(strength, meetings, prior_games)
        step = _times(_inverse(curvature), gradient)
        scale = min(1.0, MAX_STEP / max(map(abs, step), default=1.0)) if any(step) else 1.0
        strength = [value + scale * change for value, change in zip(strength, step, strict=True)]
        if max(map(abs, step), default=0.0) < TOLERANCE:
            break
    _, curvature = _derivatives(strength, meetings, prior_games)
    spread = _inverse(curvature)
    covariance = _product(_product(spread, _scatter(strength, meetings, prior_games)), spread)
    return _centred(strength, covariance)


def _derivatives(
    strength: Sequence[float], meetings: dict[tuple[int, int], list[PairScore]], prior_games: float
) -> tuple[list[float], Matrix]:
    """Return gradient and negative curvature of the log-likelihood.

    Only differences count in it, so a penalty on the sum of all ratings pins the average to 0.
    """
    players = len(strength)
    total = sum(strength)
    gradient = [prior_games * (0.5 - _expected(value)) - total for value in strength]
    curvature = [[1.0] * players for _ in range(players)]
    for i, value in enumerate(strength):
        curvature[i][i] += prior_games * _expected(value) * _expected(-value)
    for (i, j), scores in meetings.items():
        expected = _expected(strength[i] - strength[j])
        games = sum(score.games for score in scores)
        surplus = sum(score.points for score in scores) - games * expected
        weight = games * expected * (1 - expected)
        gradient[i] += surplus
        gradient[j] -= surplus
        _add_difference(curvature, i, j, weight)
    return gradient, curvature


def _scatter(strength: Sequence[float], meetings: dict[tuple[int, int], list[PairScore]], prior_games: float) -> Matrix:
    """Return the sum of squared gradients of the single observations, corrected for the parameters fitted to them."""
    players = len(strength)
    observations = sum(map(len, meetings.values()))
    correction = observations / max(1, observations - (players - 1))
    scatter = [[0.0] * players for _ in range(players)]
    for (i, j), scores in meetings.items():
        expected = _expected(strength[i] - strength[j])
        squares = sum((score.points - score.games * expected) ** 2 for score in scores)
        _add_difference(scatter, i, j, correction * squares)
    for i, value in enumerate(strength):
        # an imagined game is won or lost with even chances: variance 1/4 around 1/2, and 1/2 is off by the bias
        scatter[i][i] += prior_games * (0.25 + (0.5 - _expected(value)) ** 2)
    return scatter


def _centred(strength: Sequence[float], covariance: Matrix) -> Ratings:
    """Return ratings whose mean is exactly 0, in Elo."""
    players = len(strength)
    mean = sum(strength) / players
    rows = [sum(row) / players for row in covariance]
    grand = sum(rows) / players
    return Ratings(
        tuple(ELO * (value - mean) for value in strength),
        tuple(
            tuple(ELO * ELO * (covariance[i][j] - rows[i] - rows[j] + grand) for j in range(players))
            for i in range(players)
        ),
    )


def _expected(difference: float) -> float:
    return 1 / (1 + math.exp(-difference))


def _add_difference(matrix: Matrix, i: int, j: int, weight: float) -> None:
    """Add ``weight`` times the outer square of the vector that is 1 at ``i`` and -1 at ``j``."""
    matrix[i][i] += weight
    matrix[j][j] += weight
    matrix[i][j] -= weight
    matrix[j][i] -= weight


def _inverse(matrix: Matrix) -> Matrix:
    """Return the inverse of a symmetric positive definite matrix (Gauss-Jordan; it needs no pivots then)."""
    size = len(matrix)
    rows = [[*row, *(float(i == j) for j in range(size))] for i, row in enumerate(matrix)]
    for i in range(size):
        pivot = rows[i][i]
        rows[i] = [value / pivot for value in rows[i]]
        for j in range(size):
            factor = rows[j][i]
            if j != i and factor:
                rows[j] = [value - factor * top for value, top in zip(rows[j], rows[i], strict=True)]
    return [row[size:] for row in rows]


def _times(matrix: Sequence[Sequence[float]], vector: Sequence[float]) -> list[float]:
    return [sum(map(operator.mul, row, vector)) for row in matrix]


def _product(left: Matrix, right: Matrix) -> Matrix:
    columns = list(zip(*right, strict=True))
    return [[sum(map(operator.mul, row, column)) for column in columns] for row in left]
