"""From pairs of games to Elo, error bars and likelihoods of superiority, for any number of players. Pure.

The model is Bradley and Terry's (1952): a player d Elo stronger is expected to score 1 / (1 + 10^(-d/400)) points a
game, where a draw counts as half a win and half a loss. The ratings are those of the greatest likelihood. A draw has no
parameter of its own (as it has in Davidson's model, 1970), so that the difference of two players is the Elo of the
score between them, however often they draw.

The errors are not taken from the model, which would treat the two games over one opening as independent, and a draw as
no more certain than a win. They come from a bootstrap: *pairs of games with colours swapped* are drawn with
replacement, about as many as there are, and the ratings move by one Newton step from those of all pairs (the score
bootstrap: Kline and Santos 2012). How many are drawn is by chance too, each pair a Poisson number of times, so that a
few pairs that are all alike are no certainty. With ever more replicas this is the sandwich estimate H^-1 M H^-1 (Huber
1967; White 1982), and for two players the pentanomial variance.

So that a player who has won everything, or has hardly played, has a finite rating with an honest error, each player
starts with :data:`PRIOR_GAMES` imagined games against the average player, half of them won, as in BayesElo. Each
replica draws them too.
"""

from __future__ import annotations

import math
import operator
import random
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import NormalDist

from quietmove.referee.match.score import CONFIDENCE

__all__ = ["PRIOR_GAMES", "REPLICAS", "Contrast", "PairScore", "Ratings", "rate"]

PRIOR_GAMES = 1.0
REPLICAS = 400  # an error is then known to 3.5 %
LEAST_REPLICAS = 50  # 10 %
DRAWN_PAIRS = 1_000_000  # in all replicas together: a few seconds; a large tournament has fewer of them
SEED = 1  # the same results give the same errors
ELO = 400 / math.log(10)  # Elo in one unit of the logistic scale
MAX_STEP = 1.0  # of one Newton iteration, on the logistic scale: far from the maximum a full step overshoots
TOLERANCE = 1e-10
STEP_TOLERANCE = 1e-4  # of a Newton step, which the next one improves
REPLICA_TOLERANCE = 0.03  # of a replica: errors change by less than 1 %
MAX_ITERATIONS = 200

Vector = list[float]


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
    :param deviations: for each player, by how much its rating is another one in each replica of the bootstrap.
    """

    elo: tuple[float, ...]
    deviations: tuple[tuple[float, ...], ...]

    def error(self, player: int) -> float:
        """Return half the width of the 95 % interval around ``elo[player]``."""
        return self.contrast({player: 1.0}).error

    def superiority(self, player: int, other: int) -> float:
        """Return the likelihood that ``player`` is stronger than ``other``, 0 to 1."""
        return self.contrast({other: -1.0, player: 1.0} if player != other else {}).superiority

    def contrast(self, weights: Mapping[int, float]) -> Contrast:
        """Return the weighted sum of ratings, such as the mean of some minus the mean of others."""
        elo = sum(weight * self.elo[player] for player, weight in weights.items())
        replicas = zip(*(self.deviations[player] for player in weights), strict=True)
        squares = [sum(map(operator.mul, weights.values(), replica)) ** 2 for replica in replicas]
        deviation = math.sqrt(sum(squares) / len(squares)) if squares else 0.0
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


def rate(
    players: int, scores: Iterable[PairScore], prior_games: float = PRIOR_GAMES, replicas: int = REPLICAS
) -> Ratings:
    """Return the maximum-likelihood ratings of ``players`` players.

    :param prior_games: imagined games of each player against the average. With 0 the ratings are the plain maximum,
        which exists only if no group of players took all points, or none, from the rest.
    :param replicas: of the bootstrap; of more than a few thousand pairs there are fewer.
    """
    scores = list(scores)
    fit = _Fit(players, scores, prior_games)
    fit.maximise()
    count = max(min(replicas, LEAST_REPLICAS), min(replicas, DRAWN_PAIRS // max(1, len(scores))))
    deviations = [_centred(replica) for replica in _replicas(fit, scores, count)]
    return Ratings(
        tuple(ELO * value for value in _centred(fit.strength)),
        tuple(zip(*deviations, strict=True)) if players else (),
    )


class _Fit:
    """The likelihood of a strength for each player, on the logistic scale, and its maximum."""

    def __init__(self, players: int, scores: Sequence[PairScore], prior_games: float) -> None:
        self.prior_games = prior_games
        self.strength = [0.0] * players
        games: dict[tuple[int, int], float] = defaultdict(float)
        points: dict[tuple[int, int], float] = defaultdict(float)
        for score in scores:
            games[score.first, score.second] += score.games
            points[score.first, score.second] += score.points
        self.meetings = [(i, j, count, points[i, j]) for (i, j), count in games.items()]

    def maximise(self) -> None:
        """Move to the maximum by Newton's method."""
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
    """A symmetric matrix of which most elements are 0: minus the weight of each meeting, and on the diagonal their sum.

    :param own: what the diagonal has beside this sum.
    :param weights: for each player, by its opponents.
    """

    def __init__(self, own: Sequence[float], weights: Sequence[Mapping[int, float]]) -> None:
        self.diagonal = [value + sum(row.values()) for value, row in zip(own, weights, strict=True)]
        self.rows = [(tuple(row.values()), _picker(tuple(row))) for row in weights]

    def times(self, vector: Vector) -> Vector:
        """Return the product with a vector."""
        return [
            diagonal * value - sum(map(operator.mul, weights, pick(vector)))
            for diagonal, value, (weights, pick) in zip(self.diagonal, vector, self.rows, strict=True)
        ]

    def solve(self, right: Vector, tolerance: float) -> Vector:
        """Return the vector whose product is ``right`` (conjugate gradients, with the diagonal as preconditioner).

        :param tolerance: of what is left, relative to ``right``.
        """
        inverse = [1 / value if value else 0.0 for value in self.diagonal]
        found, left = [0.0] * len(right), list(right)
        scaled = list(map(operator.mul, inverse, left))
        direction, size = scaled, _dot(left, scaled)
        enough = tolerance * tolerance * size
        for _ in range(MAX_ITERATIONS):
            if size <= enough:
                break
            product = self.times(direction)
            length = size / _dot(direction, product)
            found = [value + length * change for value, change in zip(found, direction, strict=True)]
            left = [value - length * change for value, change in zip(left, product, strict=True)]
            scaled = list(map(operator.mul, inverse, left))
            before, size = size, _dot(left, scaled)
            direction = [value + size / before * change for value, change in zip(scaled, direction, strict=True)]
        return found


def _replicas(fit: _Fit, scores: Sequence[PairScore], count: int) -> Iterator[Vector]:
    """Yield by how much all ratings change, in Elo, where the pairs are drawn with replacement.

    What is drawn is scaled by √(n / (n - p)) for n pairs and p ratings that were fitted to them.
    """
    players, strength = len(fit.strength), fit.strength
    scale = ELO * math.sqrt(len(scores) / max(1, len(scores) - (players - 1)))
    pairs = [
        (
            score.first,
            score.second,
            scale * (score.points - score.games * _expected(strength[score.first] - strength[score.second])),
        )
        for score in scores
    ]
    # an imagined game is won or lost with even chances: variance 1/4 around 1/2, and 1/2 is off by the bias
    imagined = [ELO * math.sqrt(fit.prior_games * (0.25 + (0.5 - _expected(value)) ** 2)) for value in strength]
    mean = [0.0] * players
    _add(mean, pairs)
    solve = _solver(fit, count)
    lots = random.Random(SEED)
    for _ in range(count):
        gradient = [
            (width if lots.random() < 0.5 else -width) - value for width, value in zip(imagined, mean, strict=True)
        ]
        _add(gradient, lots.choices(pairs, k=_poisson(len(pairs), lots)) if pairs else ())
        yield solve(gradient)


def _poisson(mean: int, lots: random.Random) -> int:
    """Return a number from the Poisson distribution: events within ``mean`` units of time, one a unit on average."""
    count, time = 0, lots.expovariate(1)
    while time < mean:
        count += 1
        time += lots.expovariate(1)
    return count


def _solver(fit: _Fit, count: int) -> Callable[[Vector], Vector]:
    """Return what solves equations ``count`` times: by the inverse, if there is one and it has fewer columns."""
    curvature, players = fit.curvature(), len(fit.strength)
    if players > count or not fit.prior_games:  # without imagined games only differences are determined
        return lambda right: curvature.solve(right, REPLICA_TOLERANCE)
    inverse = [curvature.solve([float(i == j) for i in range(players)], TOLERANCE) for j in range(players)]
    return lambda right: [_dot(row, right) for row in inverse]


def _add(gradient: Vector, pairs: Iterable[tuple[int, int, float]]) -> None:
    for first, second, surplus in pairs:
        gradient[first] += surplus
        gradient[second] -= surplus


def _centred(values: Vector) -> Vector:
    """Return ``values`` less their mean."""
    mean = sum(values) / max(1, len(values))
    return [value - mean for value in values]


def _expected(difference: float) -> float:
    return 1 / (1 + math.exp(-difference))


def _dot(one: Vector, other: Vector) -> float:
    return math.fsum(map(operator.mul, one, other))


def _picker(places: tuple[int, ...]) -> Callable[[Vector], tuple[float, ...]]:
    """Return what takes the elements at ``places`` out of a vector."""
    if len(places) > 1:
        return operator.itemgetter(*places)
    return lambda vector: tuple(vector[place] for place in places)
