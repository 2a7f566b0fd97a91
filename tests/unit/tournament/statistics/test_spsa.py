"""Tuning by values whose best are known."""

from __future__ import annotations

import re

import pytest

from quietmove.tournament.errors import TournamentError
from quietmove.tournament.statistics.spsa import Parameter, Spsa, read_parameters

PARAMETERS = (Parameter("a", 10, 0, 100, 5), Parameter("b", 5, -50, 50, 2.5))
BEST = (60, -20)


def distance(values: tuple[float, ...]) -> float:
    return sum((value - best) ** 2 / each.step**2 for value, best, each in zip(values, BEST, PARAMETERS, strict=True))


def test_values_move_to_those_that_win() -> None:
    run = Spsa(PARAMETERS, 300, 0.1, "key")
    values = run.start
    for iteration in range(1, 301):
        one, other = (distance(run.trial_values(values, iteration, sign)) for sign in (1, -1))
        values = run.next_values(values, iteration, 0 if one == other else 2 if one < other else -2)
    assert values == pytest.approx(BEST, abs=4)


def test_gains_and_steps_shrink_to_what_was_asked_for() -> None:
    run = Spsa((Parameter("a", 50, 0, 1000, 4),), 100, 0.25, "key")
    first, last = (abs(run.next_values((500.0,), iteration, 1)[0] - 500) for iteration in (1, 100))
    assert last == pytest.approx(0.25 * 4)
    assert first / last == pytest.approx((110 / 11) ** 0.602 / 100**0.101)  # Spall 1998: a_k / c_k
    tried = [abs(run.trial_values((500.0,), iteration, 1)[0] - 500) for iteration in (1, 100)]
    assert tried == [round(4 * 100**0.101), 4]
    assert run.trial_values((0.0,), 1, 1)[0] in (0, 6)  # the trial value stays within the bounds
    assert run.next_values((500.0,), 7, 0) == (500.0,)


def test_directions_are_random_and_the_same_everywhere() -> None:
    run = Spsa(PARAMETERS, 1000, 0.1, "key")
    ups = [run.trial_values((50.0, 0.0), iteration, 1) for iteration in range(1, 1001)]
    for index, middle in enumerate((50, 0)):
        assert 400 < sum(tried[index] > middle for tried in ups) < 600
    assert 400 < sum((tried[0] > 50) == (tried[1] > 0) for tried in ups) < 600
    assert ups == [run.trial_values((50.0, 0.0), iteration, 1) for iteration in range(1, 1001)]
    assert ups != [Spsa(PARAMETERS, 1000, 0.1, "other").trial_values((50.0, 0.0), each, 1) for each in range(1, 1001)]


def test_parameters_are_read() -> None:
    assert read_parameters("a=10:0:100:5, Move Overhead=5:-50:50") == (
        Parameter("a", 10, 0, 100, 5.0),
        Parameter("Move Overhead", 5, -50, 50, 5.0),
    )


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "expected at least one NAME=START:MIN:MAX"),
        ("a", "must be NAME=START:MIN:MAX or NAME=START:MIN:MAX:STEP, not 'a'"),
        ("a=1.5:0:2", "not 'a=1.5:0:2'"),
        ("a=5:0:4", "a: must be MIN <= START <= MAX and MIN < MAX, not 'a=5:0:4'"),
        ("a=1:0:4:0.1", "a: STEP must be from 0.5 to 4, not 0.1"),
        ("a=1:0:4, a=1:0:4", "a: must be given once, not twice"),
    ],
)
def test_parameters_without_sense_are_refused(text: str, message: str) -> None:
    with pytest.raises(TournamentError, match=re.escape(message)):
        read_parameters(text)
