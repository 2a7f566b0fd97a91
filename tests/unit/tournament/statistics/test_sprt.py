"""The sequential test: its arithmetic on published numbers, and the match that it ends."""

from __future__ import annotations

import itertools
import math
import random
import re
from collections.abc import Sequence
from dataclasses import replace

import pytest

from quietmove.referee.config.model import EngineConfig
from quietmove.referee.match.score import NORMALIZED_ELO, DistinctPairs, GameForEngine, PairOfGames, estimate
from quietmove.tournament.definition import Tournament
from quietmove.tournament.formats import plan_of
from quietmove.tournament.formats.sprt import SprtMatch
from quietmove.tournament.games import Result, ScheduledGame
from quietmove.tournament.statistics.sprt import MODELS, Model, Sprt
from tests.fakes.played_format import play_format

# From tests of Stockfish and fastchess with alpha = beta = 0.05: the pairs LL, LD, WL, DD, WD, WW, or the games won,
# lost and drawn.
PUBLISHED_PAIRS: list[tuple[Model, float, float, tuple[int, ...], str]] = [
    ("normalized", 0, 2, (365, 16618, 36029, 200, 16974, 390), "2.25"),
    ("normalized", -1.75, 0.25, (127, 4883, 10311, 401, 5150, 104), "3.01"),
    ("logistic", 0.5, 2.5, (223, 9863, 20279, 1000, 10037, 246), "-3.07"),
    ("logistic", 0, 2, (871, 26175, 55003, 980, 26678, 821), "-4.98"),
]
PUBLISHED_GAMES: list[tuple[Model, float, float, tuple[int, int, int], str]] = [
    ("normalized", 0, 2, (36433, 36027, 68692), "0.92"),
    ("bayesian", 0, 2, (68965, 68526, 128429), "-1.26"),
]


def of_pairs(lost: int, half: int, one_each: int, drawn: int, most: int, won: int) -> tuple[int, ...]:
    return lost, half, one_each + drawn, most, won


@pytest.mark.parametrize(("model", "elo0", "elo1", "counts", "llr"), PUBLISHED_PAIRS)
def test_published_ratios_of_pairs(model: Model, elo0: float, elo1: float, counts: tuple[int, ...], llr: str) -> None:
    assert f"{Sprt(elo0, elo1, model=model).llr(of_pairs(*counts)):.2f}" == llr


@pytest.mark.parametrize(("model", "elo0", "elo1", "counts", "llr"), PUBLISHED_GAMES)
def test_published_ratios_of_games(
    model: Model, elo0: float, elo1: float, counts: tuple[int, int, int], llr: str
) -> None:
    won, lost, drawn = counts
    assert f"{Sprt(elo0, elo1, model=model).llr((lost, drawn, won)):.2f}" == llr


def test_published_elo_and_normalized_elo() -> None:
    found = estimate(of_pairs(34, 54, 31, 32, 64, 75))
    assert found is not None
    assert f"{found.elo:.2f} {(found.elo_high - found.elo_low) / 2:.2f}" == "55.58 27.65"
    assert f"{found.normalized:.2f} {found.normalized_error:.2f}" == "57.94 28.28"


def test_the_bounds_are_wald_s() -> None:
    verdict = Sprt(0, 5, alpha=0.1, beta=0.02).judge((0, 0, 0))
    assert (verdict.llr, verdict.accepted) == (0, None)
    assert verdict.lower == pytest.approx(math.log(0.02 / 0.9))
    assert verdict.upper == pytest.approx(math.log(0.98 / 0.1))
    assert Sprt(0, 50).judge((0, 0, 10, 0, 500)).accepted == "H1"
    assert Sprt(0, 50).judge((500, 0, 10, 0, 0)).accepted == "H0"


def greatest_likelihood(counts: Sequence[float], elo: float, model: Model) -> float:
    """Return by another way, a general optimiser, the greatest log-likelihood under one hypothesis."""
    seen = [count or 1e-3 for count in counts]
    from scipy.optimize import minimize

    share, size = [count / sum(seen) for count in seen], len(seen)
    scores = [index / (size - 1) for index in range(size)]

    def mean(p: Sequence[float]) -> float:
        return sum(a * b for a, b in zip(p, scores, strict=True))

    def constraint(p: Sequence[float]) -> float:
        if model == "logistic":
            return mean(p) - 1 / (1 + 10 ** (-elo / 400))
        deviation = math.sqrt(sum(a * (b - mean(p)) ** 2 for a, b in zip(p, scores, strict=True)))
        return (mean(p) - 0.5) / deviation - elo / NORMALIZED_ELO * math.sqrt((size - 1) / 2)

    found = minimize(
        lambda p: -sum(a * math.log(b) for a, b in zip(share, p, strict=True)),
        share,
        constraints=[{"type": "eq", "fun": constraint}, {"type": "eq", "fun": lambda p: sum(p) - 1}],
        bounds=[(1e-9, 1)] * size,
        method="SLSQP",
        options={"ftol": 1e-14, "maxiter": 500},
    )
    return -sum(seen) * float(found.fun)


@pytest.mark.parametrize("model", ["normalized", "logistic"])
@pytest.mark.parametrize("counts", [(0, 1, 5, 2, 0), (40, 7, 60)])
def test_a_general_optimiser_finds_the_same_ratio(model: Model, counts: tuple[int, ...]) -> None:
    for elo0, elo1 in ((0.0, 20.0), (-60.0, 35.0)):
        expected = greatest_likelihood(counts, elo1, model) - greatest_likelihood(counts, elo0, model)
        assert Sprt(elo0, elo1, model=model).llr(counts) == pytest.approx(expected, abs=1e-4)


@pytest.mark.parametrize(("counts", "accepted"), [((9, 3, 1), "H1"), ((1, 0, 0), None), ((4000, 1, 0), "H0")])
@pytest.mark.parametrize("model", MODELS)
def test_bounds_far_apart_are_judged(model: Model, counts: tuple[int, ...], accepted: str | None) -> None:
    found = Sprt(-1500, -500, model=model).judge(counts)
    assert found.llr == pytest.approx(-Sprt(500, 1500, model=model).llr(counts[::-1]), abs=1e-3)
    assert found.accepted == accepted


OPENINGS = tuple((f"o{number}",) for number in range(400))
ENGINES = (EngineConfig("a", ("x",)), EngineConfig("b", ("x",)))


def match(openings: int = 400, engines: tuple[EngineConfig, ...] = ENGINES, **settings: float | str) -> SprtMatch:
    values = {row.name: row.default for row in SprtMatch.settings} | {"elo0": 0.0, "elo1": 60.0} | settings
    tournament = Tournament(
        "t", "othello", 1, OPENINGS[:openings], engines, format="sprt", settings=tuple(values.items())
    )
    plan = plan_of(tournament)
    assert isinstance(plan, SprtMatch)
    return plan


def played(game: ScheduledGame, points_first: float, moves: str = "") -> Result:
    points = points_first if game.id.color == "black" else 1 - points_first
    return Result(game.id, game.number, points, 0, "finished", None, ",".join(game.opening), moves or str(game.number))


def outcome(game: ScheduledGame, advantage: float) -> float:
    lots = random.Random(game.seed)
    return lots.choices((1.0, 0.5, 0.0), (0.35 + advantage, 0.3, 0.35 - advantage))[0]


def play(plan: SprtMatch, advantage: float, at_once: int, lots: random.Random) -> list[Result]:
    return play_format(plan, lambda game: played(game, outcome(game, advantage)), at_once, lots)


@pytest.mark.parametrize(("advantage", "accepted"), [(0.12, "H1"), (-0.05, "H0")])
def test_the_match_ends_with_the_same_decision_at_any_concurrency(advantage: float, accepted: str) -> None:
    alone = play(match(), advantage, 1, random.Random(1))
    facts = match().summary(alone).facts
    assert (facts["accepted"], facts["pairs"]) == (accepted, len(alone) / 2)
    assert abs(facts["llr"]) > 2.94
    assert facts["trajectory"][0] == {"pairs": 0, "llr": 0}
    assert facts["trajectory"][-1] == {"pairs": facts["pairs"], "llr": facts["llr"]}
    plan = match()
    together = play(plan, advantage, 8, random.Random(8))
    assert together[: len(alone)] == alone
    assert plan.summary(together).facts == match().summary(together).facts == facts
    assert plan.planned(together) == len(together)
    for kept in (len(alone) - 1, 0, len(alone) // 2):  # a plan's cache does not change its results
        following = next(iter(plan.next_games(alone[:kept])))
        assert following.number == kept // 2 * 2 + 1
        assert plan.planned(alone[:kept]) is None


def test_the_order_in_which_games_end_decides_nothing() -> None:
    """Pairs that were won quickly wait for the slow ones before them."""
    plan = match()
    games = list(itertools.islice(plan.next_games([]), 400))
    early = [played(game, 1.0) for game in games[2:]]
    assert plan.summary(early).facts["llr"] == 0
    assert plan.planned(early) is None
    assert plan.summary([played(games[0], 0), played(games[1], 0), *early]).facts["accepted"] == "H1"


def test_it_ends_after_the_most_games_without_a_decision() -> None:
    plan = match(most_games=11)
    results = [played(game, float(game.number % 2)) for game in plan.next_games([])]
    assert len(results) == 10
    assert list(plan.next_games(results)) == []
    summary = plan.summary(results)
    assert (summary.facts["accepted"], plan.planned(results)) == (None, 10)
    assert "no decision within most_games = 11" in summary.lines[1]


def lost_by_fault(game: ScheduledGame) -> Result:
    return replace(played(game, 0.0), reason="crash", forfeited_by="a")


def test_faults_alone_decide_nothing() -> None:
    games = list(itertools.islice(match().next_games([]), 200))
    plan = match()
    only_faults = [lost_by_fault(game) for game in games]
    facts = plan.summary(only_faults).facts
    assert (facts["accepted"], facts["faults"]) == (None, 2 * facts["pairs"])
    assert facts["ended"] == "no decision: only faults of the engines lead to H0"
    assert list(plan.next_games(only_faults)) == []
    assert plan.sentence().endswith(
        "of them lost by a fault; it is undecided whether a is better: only faults of the engines lead to H0."
    )


def test_repeated_games_do_not_count_and_end_a_match_that_has_nothing_else() -> None:
    plan = match(openings=20)
    results: list[Result] = []
    for game in itertools.islice(plan.next_games([]), 1000):
        results.append(played(game, float(game.number % 4 > 1), moves=f"{game.opening}{game.id.color}"))
    facts = plan.summary(results).facts
    assert (facts["pairs"], facts["distinct_pairs"], sum(facts["counts"])) == (40, 20, 20)
    assert "repeat their games" in facts["ended"]
    assert list(plan.next_games(results[:80])) == []
    assert plan.planned(results[:78]) is None


def test_single_games_are_counted_where_pairs_are_off_or_the_model_has_none() -> None:
    results = [played(game, points) for game, points in zip(match().next_games([]), (1, 0.5, 1, 0), strict=False)]
    assert match().summary(results).facts["counts"] == [0, 0, 1, 1, 0]
    assert match(pairs=False).summary(results).facts["counts"] == [1, 1, 2]
    assert match(model="bayesian").summary(results).facts["counts"] == [1, 1, 2]


def test_what_it_cannot_play_is_named_with_its_key() -> None:
    three = (*ENGINES, EngineConfig("c", ("x",)))
    assert match(engines=three, elo0=70.0).problems() == [
        ("elo0", "must be less than elo1, which is 60, not 70"),
        ("engine", "must be given twice in format 'sprt', not 3 times"),
    ]
    assert match().problems() == []


def test_pairs_that_are_added_one_by_one_count_as_all_at_once() -> None:
    lots = random.Random(4)
    for _ in range(50):
        running: DistinctPairs[int] = DistinctPairs()  # an outcome is its pair's number
        pairs: list[PairOfGames] = []
        for number in range(30):
            both = {"black": GameForEngine(1, 2, lots.choices("xy", (9, 1))[0], "finished")}
            both["white"] = GameForEngine(0, -2, "z", "finished")
            games = {color: both[color] for color in lots.choice((["black"], ["white"], ["black", "white"]))}
            pairs.append(PairOfGames(lots.choice("abc"), games))
            running.add(pairs[-1], number)
            kept = []
            for start in "abc":
                group = [each for each, pair in enumerate(pairs) if pair.start == start]
                blacks = {pairs[each].games["black"] for each in group if "black" in pairs[each].games}
                alike = len(blacks) < 2
                kept += [max(group, key=lambda each: len(pairs[each].games))] if alike and group else group
            assert +running.counts == dict.fromkeys(kept, 1)
            assert running.distinct == len(kept)


@pytest.mark.parametrize(
    ("settings", "won", "answer"),
    [
        ({"elo1": 20}, {1, 2, 3}, "a is worse (H0 accepted: not 20 normalized Elo better)."),
        ({"elo0": -20, "elo1": 0}, set(range(4, 201)), "a is better (H1 accepted: not 20 normalized Elo worse)."),
        ({"elo1": 20}, set(range(4, 201)), "a is better (H1 accepted)."),
        (
            {"elo1": 20, "most_games": 60},
            set(),
            "a is worse by this interval, though the test is undecided: about 10 more games would be needed.",
        ),
    ],
)
def test_a_clear_result_is_said_whatever_was_asked(settings: dict[str, float], won: set[int], answer: str) -> None:
    plan = match(**{"most_games": 200, **settings})
    results = [played(game, float(game.number in won)) for game in itertools.islice(plan.next_games([]), 200)]
    said = plan.summary(results).lines[2]
    assert re.fullmatch(r"a against b: [-+]\S+ Elo \(95%: \S+ to \S+\) after \d+ games; .*", said)
    assert said.endswith(answer)
