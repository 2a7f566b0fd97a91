from __future__ import annotations

import pytest

from quietmove.referee.config.model import TimeControl
from quietmove.referee.game.clock import Clock


def test_a_move_costs_its_time_and_gains_the_increment() -> None:
    clock = Clock(TimeControl(base_ms=1000, increment_ms=100), margin_ms=50)
    assert (clock.limit_ms, clock.patience_ms) == (1000, 1050)
    clock.charge(300)
    assert (clock.remaining_ms, clock.limit_ms, clock.patience_ms) == (800, 800, 850)


def test_clock_is_refilled_after_the_given_moves() -> None:
    clock = Clock(TimeControl(base_ms=1000, moves=2), margin_ms=0)
    states = []
    for _ in range(4):
        states.append((clock.remaining_ms, clock.movestogo))
        clock.charge(100)
    assert states == [(1000, 2), (900, 1), (1800, 2), (1700, 1)]
    assert (clock.remaining_ms, clock.movestogo) == (2600, 2)


def test_time_for_a_move_is_the_same_for_each() -> None:
    clock = Clock(TimeControl(movetime_ms=200), margin_ms=10)
    clock.charge(190)
    assert (clock.limit_ms, clock.patience_ms, clock.remaining_ms, clock.movestogo) == (200, 210, None, None)


@pytest.mark.parametrize("control", [TimeControl(nodes=5), TimeControl(depth=5)])
def test_no_time_limit_without_a_clock(control: TimeControl) -> None:
    clock = Clock(control, margin_ms=10)
    clock.charge(10**9)
    assert (clock.limit_ms, clock.patience_ms) == (None, None)
