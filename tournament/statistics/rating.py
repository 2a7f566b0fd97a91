"""Elo, error bars and likelihoods of superiority, computed from pairs of games between any number of players.

The model is Bradley and Terry's (1952): a player d Elo stronger has an expected score of 1 / (1 + 10^(-d/400)) points
per game, where a draw counts as half a win and half a loss. The ratings maximize the likelihood. Draws have no
parameter, unlike in Davidson (1970): two players' difference is the Elo of their mutual score, however often they draw.

The errors do not come from the model, which would treat the two games from one opening as independent, and a draw as
no more certain than a win. They are the sandwich estimate H^-1 M H^-1 (Huber 1967; White 1982), where H is the
curvature of the likelihood and M the sum of the squared deviations of *pairs of games with colours swapped* from their
expected scores. For two players this is the pentanomial variance.

Each player starts with :data:`PRIOR_GAMES` virtual games against the average player, half of them won, as in BayesElo.
They give finite ratings with honest errors to players who have won everything or hardly played, and enter H and M.
"""

from __future__ import annotations

import math
import operator
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import NormalDist

from quietmove.referee.match.score import DEVIATIONS

PRIOR_GAMES = 1.0
ELO = 400 / math.log(10)  # Elo per unit of the logistic scale
MAX_STEP = 1.0  # maximum Newton step on the logistic scale, since full steps overshoot far from the maximum
TOLERANCE = 1e-10
STEP_TOLERANCE = 1e-4  # tolerance of a Newton step, which the next step improves
ERROR_TOLERANCE = 0.01  # tolerance for error bars, which change by less than 0.1 %
MAX_ITERATIONS = 200

Vector = list[float]


@dataclass(frozen=True, slots=True)
class PairScore:
    """The score between two players in one opening, or in several with the same score.

    :param first, second: indices of the players.
    :param games: 2, or 1 while the second game is missing.
    :param points: the points of the first player, from 0 to ``games``.
    :param count: the number of openings with this score.
    """

    first: int
    second: int
    games: int
    points: float
    count: int = 1


class Ratings:
    """The players' ratings in Elo, relative to the average player.

    :ivar elo: one rating per player; their mean is 0.
    """

    def __init__(self, fit: _Fit, scores: Sequence[PairScore]) -> None:
        self.elo = tuple(ELO * value for value in _centred(fit.strength))
        self._curvature = fit.curvature()
        self._moves: dict[int, Vector] = {}
        self._imagined = [fit.prior_games * (0.25 + (0.5 - _expected(value)) ** 2) for value in fit.strength]
        squares: dict[tuple[int, int], float] = defaultdict(float)
        pairs = sum(score.count for score in scores)
        share = pairs / max(1, pairs - (len(self.elo) - 1))  # n / (n - p + 1) for n pairs and p fitted ratings
        for score in scores:
            expected = score.games * _expected(fit.strength[score.first] - fit.strength[score.second])
            squares[score.first, score.second] += share * score.count * (score.points - expected) ** 2
        self._squares = list(squares.values())
        self._first, self._second = (_picker(tuple(pair[side] for pair in squares)) for side in (0, 1))

    def error(self, player: int) -> float:
        """Return half the width of the 95 % interval around ``elo[player]``."""
        return DEVIATIONS * self._contrast({player: 1.0})[1]

    def against(self, player: int, zero: Sequence[int]) -> tuple[float, float]:
        """Return the rating of ``player`` relative to the mean of ``zero``, and half the width of its 95 % interval.

        :param zero: the players whose mean rating counts as 0; if empty, all players.
        """
        weights: dict[int, float] = defaultdict(float, {player: 1.0})
        for each in zero:
            weights[each] -= 1 / len(zero)
        elo, deviation = self._contrast(weights)
        return elo, DEVIATIONS * deviation

    def superiority(self, player: int, other: int) -> float:
        """Return the likelihood that ``player`` is stronger than ``other``, from 0 to 1."""
        elo, deviation = self._contrast({other: -1.0, player: 1.0} if player != other else {})
        if deviation == 0:
            return 0.5 if elo == 0 else float(elo > 0)
        return NormalDist().cdf(elo / deviation)

    def _contrast(self, weights: Mapping[int, float]) -> tuple[float, float]:
        """Return the weighted sum of ratings, and its standard deviation."""
        elo = sum(weight * self.elo[player] for player, weight in weights.items())
        moves = [0.0] * len(self.elo)  # the change of the sum per additional point of each player
        for player, weight in weights.items():
            moves = [value + weight * change for value, change in zip(moves, self._moves_of(player), strict=True)]
        variance = sum(width * value * value for width, value in zip(self._imagined, moves, strict=True))
        apart = list(map(operator.sub, self._first(moves), self._second(moves)))
        variance += sum(map(operator.mul, self._squares, map(operator.mul, apart, apart)))
        return elo, ELO * math.sqrt(variance)

    def _moves_of(self, player: int) -> Vector:
        """Return the derivative of a player's rating, in logistic units, with respect to each player's points."""
        if player not in self._moves:
            own = _centred([float(each == player) for each in range(len(self.elo))])
            self._moves[player] = self._curvature.solve(own, ERROR_TOLERANCE)
        return self._moves[player]


def rate(players: int, scores: Iterable[PairScore], prior_games: float = PRIOR_GAMES) -> Ratings:
    """Return the maximum-likelihood ratings of ``players`` players.

    :param prior_games: the number of virtual games of each player against the average. With 0 the ratings are the plain
        maximum, which exists only if no group of players took all points, or none, from the rest.
    """
    scores = list(scores)
    fit = _Fit(players, scores, prior_games)
    fit.maximise()
    return Ratings(fit, scores)


class _Fit:
    """The likelihood of the players' strengths, on the logistic scale, and its maximum."""

    def __init__(self, players: int, scores: Sequence[PairScore], prior_games: float) -> None:
        self.prior_games = prior_games
        self.strength = [0.0] * players
        games: dict[tuple[int, int], float] = defaultdict(float)
        points: dict[tuple[int, int], float] = defaultdict(float)
        for score in scores:
            games[score.first, score.second] += score.count * score.games
            points[score.first, score.second] += score.count * score.points
        self.meetings = [(i, j, count, points[i, j]) for (i, j), count in games.items()]

    def maximise(self) -> None:
        """Find the maximum by Newton's method."""
        for _ in range(MAX_ITERATIONS):
            step = self.curvature().solve(self.gradient(), STEP_TOLERANCE)
            largest = max(map(abs, step), default=0.0)
            scale = min(1.0, MAX_STEP / largest) if largest else 1.0
            self.strength = [value + scale * change for value, change in zip(self.strength, step, strict=True)]
            if largest < TOLERANCE:
                break

    def gradient(self) -> Vector:
        """Return the gradient of the log-likelihood."""
        gradient = [self.prior_games * (0.5 - _expected(value)) for value in self.strength]
        for i, j, games, points in self.meetings:
            surplus = points - games * _expected(self.strength[i] - self.strength[j])
            gradient[i] += surplus
            gradient[j] -= surplus
        return gradient

    def curvature(self) -> _Curvature:
        """Return the negative curvature of the log-likelihood."""
        own = [self.prior_games * _expected(value) * _expected(-value) for value in self.strength]
        weights: list[dict[int, float]] = [{} for _ in own]
        for i, j, games, _ in self.meetings:
            expected = _expected(self.strength[i] - self.strength[j])
            weights[i][j] = weights[j][i] = games * expected * (1 - expected)
        return _Curvature(own, weights)


class _Curvature:
    """A sparse symmetric matrix of the meetings' negated weights, with the sum of each row's weights on the diagonal.

    :param own: values added to the diagonal.
    :param weights: the weights of each player's meetings, by opponent.
    """

    def __init__(self, own: Sequence[float], weights: Sequence[Mapping[int, float]]) -> None:
        self.diagonal = [value + sum(row.values()) for value, row in zip(own, weights, strict=True)]
        self.rows = [(tuple(row.values()), _picker(tuple(row))) for row in weights]

    def times(self, vector: Vector) -> Vector:
        """Return the matrix's product with a vector."""
        return [
            diagonal * value - sum(map(operator.mul, weights, pick(vector)))
            for diagonal, value, (weights, pick) in zip(self.diagonal, vector, self.rows, strict=True)
        ]

    def solve(self, right: Vector, tolerance: float) -> Vector:
        """Return the vector whose product with the matrix is ``right``, computed by the conjugate gradient method.

        The preconditioner is the diagonal.

        :param tolerance: the size of the residual at which to stop, relative to ``right``.
        """
        inverse = [1 / value if value else 0.0 for value in self.diagonal]
        solution = [0.0] * len(right)
        left = list(right)
        scaled = list(map(operator.mul, inverse, left))
        direction = scaled
        size = _dot(left, scaled)
        enough = tolerance * tolerance * size
        for _ in range(MAX_ITERATIONS):
            if size <= enough:
                break
            product = self.times(direction)
            length = size / _dot(direction, product)
            solution = [value + length * change for value, change in zip(solution, direction, strict=True)]
            left = [value - length * change for value, change in zip(left, product, strict=True)]
            scaled = list(map(operator.mul, inverse, left))
            before = size
            size = _dot(left, scaled)
            direction = [value + size / before * change for value, change in zip(scaled, direction, strict=True)]
        return solution


def _centred(values: Vector) -> Vector:
    mean = sum(values) / max(1, len(values))
    return [value - mean for value in values]


def _expected(difference: float) -> float:
    return 1 / (1 + math.exp(-difference))


def _dot(one: Vector, other: Vector) -> float:
    return math.fsum(map(operator.mul, one, other))


def _picker(places: tuple[int, ...]) -> Callable[[Vector], tuple[float, ...]]:
    if len(places) > 1:
        return operator.itemgetter(*places)
    return lambda vector: tuple(vector[place] for place in places)
