from __future__ import annotations

import pytest

from quietmove.referee.config.model import TimeControl
from quietmove.referee.game.clock import Clock


def test_a_move_costs_its_time_and_gains_the_increment() -> None:
    clock = Clock(TimeControl(base_ms=1000, increment_ms=100), margin_ms=50)
    assert (clock.limit_ms, clock.patience_ms) == (1000, 1050)
    clock.charge(300)
    assert (clock.remaining_ms, clock.limit_ms, clock.patience_ms) == (800, 800, 850)


def test_what_is_overdrawn_is_owed() -> None:
    clock = Clock(TimeControl(base_ms=1000), margin_ms=50)
    clock.charge(1040)
    assert (clock.remaining_ms, clock.limit_ms, clock.overdrawn_ms, clock.patience_ms) == (-40, 0, 40, 10)
    assert clock.describe() == "0 ms and a margin of 50 ms, of which earlier moves used 40 ms"
    clock.charge(10)
    assert (clock.remaining_ms, clock.limit_ms, clock.patience_ms) == (-50, 0, 0)


def test_an_increment_pays_back_first() -> None:
    clock = Clock(TimeControl(base_ms=100, increment_ms=30), margin_ms=50)
    states = []
    for elapsed in (150, 20, 0):
        clock.charge(elapsed)
        states.append((clock.remaining_ms, clock.limit_ms, clock.patience_ms))
    assert states == [(-20, 0, 30), (-10, 0, 40), (20, 20, 70)]
    assert clock.describe() == "20 ms and a margin of 50 ms"


def test_a_refill_pays_back_first() -> None:
    clock = Clock(TimeControl(base_ms=100, moves=2), margin_ms=50)
    clock.charge(120)
    assert (clock.remaining_ms, clock.movestogo, clock.patience_ms) == (-20, 1, 30)
    clock.charge(20)
    assert (clock.remaining_ms, clock.movestogo, clock.patience_ms) == (60, 2, 110)


def test_an_engine_that_sleeps_80_ms_a_move_has_used_up_a_tenth_of_a_second_and_its_margin() -> None:
    clock, used = Clock(TimeControl(base_ms=100), margin_ms=100), 0
    while clock.patience_ms is not None and clock.patience_ms >= 80:
        clock.charge(80)
        used += 80
    assert used == 160


def test_late_moves_under_a_time_for_each_add_up_and_quick_ones_pay_nothing_back() -> None:
    clock = Clock(TimeControl(movetime_ms=50), margin_ms=40)
    clock.charge(80)
    assert (clock.limit_ms, clock.overdrawn_ms, clock.patience_ms) == (50, 30, 60)
    clock.charge(1)
    assert (clock.limit_ms, clock.overdrawn_ms, clock.patience_ms) == (50, 30, 60)
    assert clock.describe() == "50 ms and a margin of 40 ms, of which earlier moves used 30 ms"
    clock.charge(60)
    assert (clock.overdrawn_ms, clock.patience_ms) == (40, 50)
    clock.charge(50)
    assert clock.patience_ms == 50


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
