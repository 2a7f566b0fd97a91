from __future__ import annotations

from itertools import product

import pytest

from quietmove.engine.games.base import DECISIVE, WIN
from quietmove.referee.game.verdict import finished, forfeited, judge

# The documented precedence of verdicts; a reason applies if its test is true.
ORDER = [
    ("crash", lambda crashed, late, answered, resigned: crashed),
    ("timeout", lambda crashed, late, answered, resigned: late),
    ("illegal", lambda crashed, late, answered, resigned: answered and not resigned),
    ("stall", lambda crashed, late, answered, resigned: not answered),
    ("resign", lambda crashed, late, answered, resigned: resigned),
]


def test_first_reason_that_applies_is_taken() -> None:
    for values in product((False, True), repeat=4):
        seen = dict(zip(("crashed", "late", "answered", "resigned"), values, strict=True))
        assert judge(**seen) == next(reason for reason, applies in ORDER if applies(**seen)), seen


@pytest.mark.parametrize(
    ("result", "points", "margin", "words"),
    [
        (1200, 1.0, 12, "Max wins by 12"),
        (-6400, 0.0, -64, "Min wins by 64"),
        (0, 0.5, 0, "a draw"),
        (DECISIVE, 1.0, 290, "Max wins by 290"),
        (WIN, 1.0, 1, "Max wins"),
        (-WIN, 0.0, -1, "Min wins"),
    ],
)
def test_a_finished_game_is_scored_by_its_points(result: int, points: float, margin: int, words: str) -> None:
    verdict = finished(result, ("Max", "Min"))
    assert (verdict.reason, verdict.loser, verdict.points_black, verdict.margin_black) == (
        "finished",
        None,
        points,
        margin,
    )
    assert verdict.detail == words


@pytest.mark.parametrize(
    ("largest", "margin"), [(6400, 64), (10000, 100), (DECISIVE, 290), (DECISIVE + 1, 1), (WIN, 1)]
)
def test_a_forfeit_costs_what_the_game_can_cost(largest: int, margin: int) -> None:
    assert forfeited("stall", "black", "...", largest).margin_black == -margin
    assert forfeited("stall", "white", "...", largest).margin_black == margin
