from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import pytest

from quietmove.referee.config.model import EngineConfig
from quietmove.tournament.definition import Tournament
from quietmove.tournament.formats import plan_of
from quietmove.tournament.games import Result
from quietmove.tournament.statistics.standings import Comparison, games_to_show


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
    assert summary.lines[2:] == ("full is better than each of its 2 opponents.",)
    assert summary.facts["better_than_all"] == ["full"]
    level = [replace(each, points_black=0.5) if "static" in each.id.pair else each for each in won]
    summary = plan.summary(level)
    assert [fact["better"] for fact in summary.facts["answers"]] == ["full", None]
    assert summary.lines[1].startswith("full and static: no difference shown, 0 Elo (95%: -106 to +106), 80 games; ")
    assert len(summary.lines) == 2
