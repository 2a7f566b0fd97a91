"""The sequential probability ratio test (Wald 1945) of the difference in strength between two engines. Pure functions.

H0 states that the difference is ``elo0``, H1 that it is ``elo1``. After each observation their log-likelihood ratio
(LLR) is compared with two bounds; the test ends when it reaches one of them. The models define the distributions:

``normalized``
    The difference is a t-value: the mean score above one half in standard deviations of a game, times 800 / ln 10. The
    length of a test then depends only on ``elo0`` and ``elo1``, not on the share of draws.
``logistic``
    The difference is Elo: a player d Elo stronger has an expected score of 1 / (1 + 10^(-d/400)) points per game.
``bayesian``
    The difference is in BayesElo: a game is won with probability 1 / (1 + 10^((drawn - d)/400)) and lost with
    1 / (1 + 10^((drawn + d)/400)), where ``drawn`` is estimated from the games (Coulom, BayesElo, 2005).

The first two models do not fix the whole distribution, but only its t-value or its mean. The test compares the maximum
likelihoods under either hypothesis (the generalised test: Van den Bergh, "A practical introduction to the GSPRT" and
"Normalized Elo"). The observations can be pairs of games with colours swapped, which have five scores, from 0 to 2
points; the two games of a pair need not be independent.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal, get_args

from quietmove.referee.match.score import NORMALIZED_ELO

Model = Literal["normalized", "logistic", "bayesian"]
MODELS: tuple[Model, ...] = get_args(Model)

TRINOMIAL, PENTANOMIAL = 3, 5  # number of possible scores of a game, and of a pair of games
ABSENT = 1e-3  # replaces 0 observations of a score, because an unobserved score is still possible
TOLERANCE = 1e-12
ROUNDING = 1e-14  # relative tolerance of a root; near a pole every digit matters
MAX_ITERATIONS = 200
ONE_SOLUTION = 1.0  # maximum t-value of a pair for which the most likely distribution is unique
PARTS = 20  # number of subintervals to search for the most likely distribution

Distribution = Sequence[float]  # probabilities of the scores, worst first


@dataclass(frozen=True, slots=True)
class SprtState:
    """The current state of a test.

    :param llr: log-likelihood ratio of H1 to H0.
    :param lower, upper: H0 is accepted at or below ``lower``, H1 at or above ``upper``.
    """

    llr: float
    lower: float
    upper: float

    @property
    def accepted(self) -> Literal["H0", "H1"] | None:
        """The accepted hypothesis, or None while the test continues."""
        return "H1" if self.llr >= self.upper else "H0" if self.llr <= self.lower else None


@dataclass(frozen=True, slots=True)
class Sprt:
    """A test of H0 (the first engine is ``elo0`` stronger) against H1 (it is ``elo1`` stronger).

    :param elo0, elo1: the differences in strength, in the unit of ``model``; ``elo0`` is the smaller one.
    :param alpha: the probability of accepting H1 if H0 is true, above 0.
    :param beta: the probability of accepting H0 if H1 is true, above 0; ``alpha`` + ``beta`` must be below 1.
    """

    elo0: float
    elo1: float
    alpha: float = 0.05
    beta: float = 0.05
    model: Model = "normalized"

    def judge(self, counts: Sequence[float]) -> SprtState:
        """Return the state of the test after ``counts``; see :meth:`llr`."""
        lower = math.log(self.beta / (1 - self.alpha))
        upper = math.log((1 - self.beta) / self.alpha)
        return SprtState(self.llr(counts), lower, upper)

    def llr(self, counts: Sequence[float]) -> float:
        """Return the log-likelihood ratio of H1 to H0.

        :param counts: games lost, drawn and won, or pairs of games that scored 0, ½, 1, 1½ and 2 points. The model
            ``bayesian`` supports only single games.
        """
        assert len(counts) in ((TRINOMIAL,) if self.model == "bayesian" else (TRINOMIAL, PENTANOMIAL))
        if not any(counts):
            return 0.0
        nonzero = [count or ABSENT for count in counts]
        size = sum(nonzero)
        observed = [count / size for count in nonzero]
        distribution = _DISTRIBUTIONS[self.model]
        null = distribution(observed, self.elo0)
        alternative = distribution(observed, self.elo1)
        return sum(count * math.log(one / zero) for count, one, zero in zip(nonzero, alternative, null, strict=True))


def _logistic(observed: Distribution, elo: float) -> Distribution:
    """Return the distribution that makes ``observed`` most likely among those with the mean score for ``elo``."""
    expected = 1 / (1 + 10 ** (-elo / 400))
    return _with_mean_zero(observed, [score - expected for score in _scores(observed)])


def _normalized(observed: Distribution, elo: float) -> Distribution:
    """Return the distribution that makes ``observed`` most likely among those with the t-value for ``elo``.

    Mean and deviation satisfy mean - 1/2 = t deviation. With b, the score above 1/2, this means E[b] = k √E[b²], where
    k = t / √(1 + t²). Lagrange's condition describes a distribution with mean 0 over the constraint's tangent at
    r = √E[b²]; the solution is therefore the r that the tangent's own distribution has. For a large t there may be
    several: one for each score that nearly all observations may have. The most likely one is returned.
    """
    above = [score - 0.5 for score in _scores(observed)]
    t = elo / NORMALIZED_ELO * math.sqrt((len(above) - 1) / 2)  # n games together have √n times a game's t-value
    if t == 0:
        return _with_mean_zero(observed, above)
    k = t / math.sqrt(1 + t * t)

    def at(r: float) -> Distribution:
        return _with_mean_zero(observed, [b - k * (r + b * b / r) / 2 for b in above])

    def excess(r: float) -> float:
        return math.sqrt(sum(p * b * b for p, b in zip(at(r), above, strict=True))) - r

    # The tangent's values have both signs if r is close enough to the distance of a score from one half.
    near = math.sqrt(1 - k * k)
    ranges = [
        (b * abs(k) / (1 + near) * (1 + TOLERANCE), min(b * (1 + near) / abs(k) * (1 - TOLERANCE), max(above)))
        for b in above
        if b > 0
    ]
    if abs(t) <= ONE_SOLUTION:
        of_observed = math.sqrt(sum(p * b * b for p, b in zip(observed, above, strict=True)))
        return at(_root(excess, min(ranges)[0], max(above), of_observed))
    distributions = []
    for low, high in ranges:
        points = [low + (high - low) * index / PARTS for index in range(PARTS + 1)]
        signs = [excess(point) > 0 for point in points]
        distributions += [
            at(_root(excess, points[i], points[i + 1], points[i])) for i in range(PARTS) if signs[i] > signs[i + 1]
        ]
    return max(distributions, key=lambda p: sum(map(operator.mul, observed, map(math.log, p))))


def _bayesian(observed: Distribution, elo: float) -> Distribution:
    """Return BayesElo's distribution for ``elo``, with the draw parameter estimated from ``observed``."""
    lost, _, won = observed
    drawn = 200 * math.log10((1 - lost) / lost * (1 - won) / won)
    win, loss = (1 / (1 + 10 ** ((drawn - sign * elo) / 400)) for sign in (1, -1))
    return [loss, 1 - loss - win, win]


_DISTRIBUTIONS: dict[Model, Callable[[Distribution, float], Distribution]] = {
    "normalized": _normalized,
    "logistic": _logistic,
    "bayesian": _bayesian,
}


def _scores(distribution: Distribution) -> list[float]:
    return [index / (len(distribution) - 1) for index in range(len(distribution))]


def _with_mean_zero(observed: Distribution, values: Sequence[float]) -> list[float]:
    """Return the distribution nearest to ``observed`` with mean 0 over ``values``, which must include both signs.

    It is observed / (1 + multiplier value), where the multiplier makes the mean 0 (the empirical likelihood of a mean:
    Owen 1988). The mean falls as the multiplier grows, so there is one solution, found by bounded Newton steps.
    """
    lower = -1 / max(values)
    upper = -1 / min(values)
    multiplier = 0.0
    for _ in range(MAX_ITERATIONS):
        ratios = [value / (1 + multiplier * value) for value in values]
        mean = sum(map(operator.mul, observed, ratios))
        slope = -sum(p * ratio * ratio for p, ratio in zip(observed, ratios, strict=True))
        if mean > 0:
            lower = multiplier
        else:
            upper = multiplier
        following = multiplier - mean / slope
        if not lower < following < upper:
            following = (lower + upper) / 2
        if abs(following - multiplier) <= ROUNDING * abs(following):
            break
        multiplier = following
    return [p / (1 + multiplier * value) for p, value in zip(observed, values, strict=True)]


def _root(function: Callable[[float], float], lower: float, upper: float, guess: float) -> float:
    """Find a zero of ``function`` by bounded secant steps; it must be positive at ``lower`` and not at ``upper``."""
    point, slope = guess, -1.0
    before = at_before = math.nan
    for _ in range(MAX_ITERATIONS):
        if not lower < point < upper:
            point = (lower + upper) / 2
        value = function(point)
        if abs(value) < TOLERANCE or upper - lower < TOLERANCE:
            break
        if value > 0:
            lower = point
        else:
            upper = point
        if point != before and not math.isnan(before):
            slope = (value - at_before) / (point - before)
        before, at_before = point, value
        point = point - value / slope if slope else math.inf
    return point
