from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import pytest

from quietmove.referee.config.model import EngineConfig
from quietmove.tournament.definition import Tournament
from quietmove.tournament.formats import plan_of
from quietmove.tournament.games import Result
from quietmove.tournament.statistics.standings import Comparison, games_to_show, holm


def sentence(pentanomial: Sequence[int]) -> str:
    found = Comparison.of("full", "none", pentanomial)
    assert found is not None
    return found.sentence()


@pytest.mark.parametrize(
    ("pentanomial", "said"),
    [
        ((5, 10, 30, 35, 20), "full is better than none: +98 Elo (95%: +60 to +139), 200 games"),
        ((20, 35, 30, 10, 5), "none is better than full: +98 Elo (95%: +60 to +139), 200 games"),
        ((0, 0, 0, 0, 10), "full is better than none: +infinite Elo (95%: +166 to +infinite), 20 games"),
        (
            (20, 20, 20, 20, 20),
            "full and none: no difference shown, 0 Elo (95%: -48 to +48), 200 games; "
            "about 4,300 games would be needed to show 15 Elo",
        ),
        ((0, 0, 0, 0, 1), "full and none: no difference shown, +infinite Elo (95%: -234 to +infinite), 2 games"),
        ((0, 0, 5000, 1, 0), "full and none: no difference shown, 0 Elo (95%: 0 to 0), 10,002 games"),
    ],
)
def test_the_answer_is_a_sentence(pentanomial: Sequence[int], said: str) -> None:
    assert sentence(pentanomial) == said


@pytest.mark.parametrize(
    ("p_values", "corrected"),
    [
        ([0.01, 0.04, 0.03, 0.005], [0.03, 0.06, 0.06, 0.02]),  # the example of R's p.adjust(method = "holm")
        ([0.04], [0.04]),
        ([0.5, 0.9], [1.0, 1.0]),
        ([0.02, 0.02, 0.02], [0.06, 0.06, 0.06]),
        ([], []),
    ],
)
def test_holms_correction(p_values: list[float], corrected: list[float]) -> None:
    assert holm(p_values) == pytest.approx(corrected)


def test_a_difference_that_is_significant_alone_may_not_be_one_of_eight() -> None:
    """The same games show a difference in a comparison of two engines, and none if it is the best of many."""
    close, level = (18, 30, 40, 36, 36), (20, 40, 90, 40, 20)
    alone = Comparison.of("full", "history", close)
    assert alone is not None
    assert 0.05 / 8 < alone.p_value < 0.05
    others = [("full", f"other {number}", level) for number in range(7)]
    for first, second, counts in (("full", "history", close), ("history", "full", close[::-1])):
        corrected, *_ = Comparison.of_each([(first, second, counts), *others])
        assert (alone.better, corrected.better) == ("full", None)
        assert corrected.p_value == pytest.approx(8 * alone.p_value)
        said = f"{first} and {second}: no difference shown (p = {corrected.p_value:.3f} with Holm's correction for 8 "
        assert corrected.sentence().startswith(f"{said}comparisons), ")


def test_without_a_pair_there_is_no_answer() -> None:
    assert Comparison.of("full", "none", (0, 0, 0, 0, 0)) is None


def test_so_many_games_show_the_difference() -> None:
    """With four times the games the interval is half as wide; the power of 80 % takes 1.43 times its half."""
    assert games_to_show(15, -30, 30, 1000) == round((30 / 15 * (1.95996 + 0.84162) / 1.95996) ** 2, 1) * 1000
    assert games_to_show(30, -30, 30, 1000) == pytest.approx(games_to_show(15, -30, 30, 1000) / 4, rel=0.05)  # type: ignore[operator]
    assert games_to_show(15, -math.inf, 30, 1000) is None


def test_a_gauntlet_answers_for_each_pair() -> None:
    engines = tuple(EngineConfig(name, ("x",)) for name in ("full", "none", "static"))
    plan = plan_of(Tournament("t", "othello", 1, ((),), engines, "gauntlet", (("rounds", 40),)))
    assert plan.summary([]).lines == ()
    games = list(plan.next_games([]))
    won = [
        Result(game.id, game.number, float(game.id.black == "full"), 2, "finished", None, "", str(game.number))
        for game in games
    ]
    summary = plan.summary(won)
    assert summary.lines[0].startswith("full is better than none: +infinite Elo (95%: +")
    corrected = "Better: p < 0.05 with Holm's correction for 2 comparisons."
    assert summary.lines[2:] == ("full is better than each of its 2 opponents.", corrected)
    assert summary.facts["better_than_all"] == ["full"]
    level = [replace(each, points_black=0.5) if "static" in each.id.pair else each for each in won]
    summary = plan.summary(level)
    assert [fact["better"] for fact in summary.facts["answers"]] == ["full", None]
    assert summary.lines[1].startswith("full and static: no difference shown, 0 Elo (95%: -106 to +106), 80 games; ")
    assert summary.lines[2:] == (corrected,)
    alone = plan.summary([each for each in won if "none" in each.id.pair])
    assert len(alone.lines) == 1  # a single comparison needs no correction
