from __future__ import annotations

import math
import random
from itertools import combinations
from statistics import NormalDist

import numpy as np
import pytest

from quietmove.referee.match.score import estimate
from quietmove.tournament.statistics.rating import ELO, PairScore, rate

# The American League's eastern division in 1987: wins of each row's team against each column's team. Agresti,
# Categorical Data Analysis, gives the strengths on the logistic scale, relative to the last team, to two or three
# places.
BASEBALL = [
    [0, 7, 9, 7, 7, 9, 11],
    [6, 0, 7, 5, 11, 9, 9],
    [4, 6, 0, 7, 7, 8, 12],
    [6, 8, 6, 0, 6, 7, 10],
    [6, 2, 6, 7, 0, 7, 12],
    [4, 4, 5, 6, 6, 0, 6],
    [2, 4, 1, 3, 1, 7, 0],
]
PUBLISHED = [1.581, 1.436, 1.294, 1.248, 1.108, 0.684, 0.0]


def test_published_strengths() -> None:
    scores = []
    for i, j in combinations(range(7), 2):
        scores += [PairScore(i, j, 1, 1.0)] * BASEBALL[i][j] + [PairScore(i, j, 1, 0.0)] * BASEBALL[j][i]
    elo = rate(7, scores, prior_games=0).elo
    assert [(value - elo[-1]) / ELO for value in elo] == pytest.approx(PUBLISHED, abs=2e-3)
    assert sum(elo) == pytest.approx(0, abs=1e-9)


def sample(players: int, rounds: int, seed: int) -> tuple[list[PairScore], list[float]]:
    """Draw pairs of games whose two games share an opening that favours one side; return also the true ratings."""
    lots = random.Random(seed)
    truth = [lots.gauss(0, 80) for _ in range(players)]
    mean = sum(truth) / players
    truth = [value - mean for value in truth]
    scores = []
    for i, j in combinations(range(players), 2):
        for _ in range(rounds):
            bias = lots.gauss(0, 150)
            points = 0.0
            for sign in (1, -1):
                expected = 1 / (1 + 10 ** (-(truth[i] - truth[j] + sign * bias) / 400))
                points += lots.choices((1, 0.5, 0), (expected - 0.05, 0.1, 0.95 - expected))[0]
            scores.append(PairScore(i, j, 2, points))
    return scores, truth


def test_the_imagined_games_enter_rating_and_error_as_they_are_described() -> None:
    """An independent reading of the model, in numpy, for a lopsided field in which the imagined games weigh much."""
    from scipy.optimize import minimize

    scores = [PairScore(0, 1, 2, 2.0)] * 3 + [PairScore(0, 2, 2, 1.5), PairScore(1, 2, 1, 1.0)]
    prior = 2.5
    rows = [(score.first, score.second, score.games, score.points) for score in scores]

    def loss(strength: np.ndarray) -> float:
        total = 0.0
        for first, second, games, points in rows:
            difference = strength[first] - strength[second]
            total += games * np.logaddexp(0, difference) - points * difference
        return float(total + prior * np.sum(np.logaddexp(0, strength) - strength / 2))

    strength = minimize(loss, np.zeros(3), method="BFGS", options={"gtol": 1e-10}).x
    chance = 1 / (1 + np.exp(-strength))
    curvature = prior * np.diag(chance * (1 - chance))
    scatter = prior * np.diag(0.25 + (0.5 - chance) ** 2)
    for first, second, games, points in rows:
        unit = np.eye(3)[first] - np.eye(3)[second]
        expected = 1 / (1 + np.exp(strength[second] - strength[first]))
        curvature += games * expected * (1 - expected) * np.outer(unit, unit)
        scatter += 5 / 3 * (points - games * expected) ** 2 * np.outer(unit, unit)  # 5 observations, 2 parameters
    spread = np.linalg.inv(curvature)
    centring = np.eye(3) - 1 / 3
    covariance = centring @ spread @ scatter @ spread @ centring * ELO**2
    ratings = rate(3, scores, prior_games=prior)
    assert ratings.elo == pytest.approx(tuple((strength - strength.mean()) * ELO), abs=1e-3)
    for player in range(3):
        expected = NormalDist().inv_cdf(0.975) * math.sqrt(covariance[player, player])
        assert ratings.error(player) == pytest.approx(expected, rel=0.002)
    spread = math.sqrt(covariance[1, 1] + covariance[2, 2] - 2 * covariance[1, 2])
    likelihood = NormalDist().cdf((ratings.elo[1] - ratings.elo[2]) / spread)
    assert ratings.superiority(1, 2) == pytest.approx(likelihood, abs=0.002)


def test_two_players_are_the_pentanomial_match() -> None:
    counts = (40, 150, 400, 210, 60)
    pairs = [PairScore(0, 1, 2, index / 2) for index, count in enumerate(counts) for _ in range(count)]
    ratings = rate(2, pairs, prior_games=0)
    match = estimate(counts)
    assert match is not None
    assert ratings.elo[0] - ratings.elo[1] == pytest.approx(match.elo, abs=1e-6)
    assert 4 * ratings.error(0) == pytest.approx(match.elo_high - match.elo_low, rel=0.08)
    assert ratings.superiority(0, 1) == pytest.approx(match.superiority, abs=0.01)


def test_the_interval_holds_the_truth_nineteen_times_in_twenty() -> None:
    inside = []
    for seed in range(150):
        scores, truth = sample(6, 5, seed)
        ratings = rate(6, scores)
        inside += [abs(ratings.elo[i] - truth[i]) <= ratings.error(i) for i in range(6)]
    assert 0.93 <= sum(inside) / len(inside) <= 0.97


def test_one_who_wins_everything_has_a_finite_rating_with_a_wide_error() -> None:
    ratings = rate(3, [PairScore(0, 1, 2, 2)] * 10 + [PairScore(0, 2, 2, 2)] * 10 + [PairScore(1, 2, 2, 1)] * 10)
    assert 300 < ratings.elo[0] < 1000
    assert ratings.error(0) > 100
    assert ratings.superiority(0, 1) > 0.99
    assert ratings.elo[1] == pytest.approx(ratings.elo[2])
    assert sum(ratings.elo) == pytest.approx(0, abs=1e-9)


def test_without_a_game_nothing_is_known() -> None:
    ratings = rate(3, [])
    assert set(ratings.elo) == {0.0}
    assert ratings.superiority(0, 1) == 0.5
    assert ratings.error(0) > 300


def test_a_rating_against_some_players_is_its_distance_from_their_mean() -> None:
    ratings = rate(3, [PairScore(0, 1, 2, 1.5), PairScore(1, 2, 2, 1.5), PairScore(0, 2, 2, 2)] * 20)
    elo, error = ratings.against(0, [1, 2])
    assert elo == pytest.approx(ratings.elo[0] - (ratings.elo[1] + ratings.elo[2]) / 2)
    assert ratings.against(1, [1]) == (pytest.approx(0), pytest.approx(0))
    assert ratings.against(2, []) == (pytest.approx(ratings.elo[2]), pytest.approx(ratings.error(2)))
    assert error > ratings.error(0)
