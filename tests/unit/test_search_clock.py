"""How long a search may take, by a clock that the test moves."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quietmove.engine.search.clock import Clock
from quietmove.engine.values import Limits


class Hand:
    """A clock whose hand is moved: seconds from an origin of its own."""

    def __init__(self) -> None:
        self.seconds = 5000.0

    def __call__(self) -> float:
        return self.seconds


def spent(limits: Limits) -> tuple[float | None, float | None]:
    """Return after how many seconds no iteration is started, and after how many the search is cut off."""
    hand = Hand()
    clock = Clock(limits, hand)
    found: list[float | None] = []
    for goes_on in (clock.may_go_on, lambda: not clock.expired()):
        low, high = 0.0, 1e7
        hand.seconds = 5000.0 + high
        if goes_on():
            found.append(None)
            continue
        for _ in range(80):
            middle = (low + high) / 2
            hand.seconds = 5000.0 + middle
            low, high = (middle, high) if goes_on() else (low, middle)
        found.append(high)
    return found[0], found[1]


@pytest.mark.parametrize("limits", [Limits(), Limits(depth=3), Limits(nodes=5), Limits(increment=100)])
def test_without_a_clock_time_does_not_matter(limits: Limits) -> None:
    assert spent(limits) == (None, None)
    assert not Clock(limits, Hand()).timed


@pytest.mark.parametrize("limits", [Limits(movetime=100, infinite=True), Limits(time=100, infinite=True)])
def test_an_infinite_search_has_no_clock(limits: Limits) -> None:
    assert spent(limits) == (None, None)


@pytest.mark.parametrize("milliseconds", [1, 50, 1000, 86_400_000])
def test_the_time_for_a_move_is_used_up(milliseconds: int) -> None:
    assert spent(Limits(movetime=milliseconds)) == (None, pytest.approx(milliseconds / 1000))
    assert not Clock(Limits(movetime=milliseconds), Hand()).timed


@settings(max_examples=200, deadline=None)
@given(
    time=st.integers(0, 3_600_000),
    increment=st.integers(0, 60_000),
    movestogo=st.none() | st.integers(1, 60),
    movetime=st.none() | st.integers(1, 60_000),
)
def test_a_game_clock_is_never_overdrawn(
    time: int, increment: int, movestogo: int | None, movetime: int | None
) -> None:
    limits = Limits(time=time, increment=increment, movestogo=movestogo, movetime=movetime)
    soft, hard = spent(limits)
    assert soft is not None
    assert hard is not None
    assert hard <= max(1e-6, time / 1000 - 0.010 + 1e-6)
    assert movetime is None or hard <= movetime / 1000 + 1e-6
    assert movetime is not None or soft <= hard + 1e-6
    assert Clock(limits, Hand()).timed


def test_more_time_gives_more_time() -> None:
    budgets = [spent(Limits(time=time)) for time in (100, 1000, 10_000, 100_000)]
    assert budgets == sorted(budgets, key=lambda budget: budget[0] or 0)
    assert len(set(budgets)) == 4
    with_increment, alone = spent(Limits(time=10_000, increment=1000)), spent(Limits(time=10_000))
    assert (with_increment[0] or 0) > (alone[0] or 0)
    last_move, many = spent(Limits(time=10_000, movestogo=1)), spent(Limits(time=10_000, movestogo=40))
    assert (last_move[0] or 0) > 10 * (many[0] or 0)


def test_thirty_moves_fit_into_a_game() -> None:
    """Even if every single search is cut off as late as it may be."""
    left, moves = 10_000.0, 0
    while moves < 30:
        hard = spent(Limits(time=int(left)))[1]
        assert hard is not None
        left -= 1000 * hard
        moves += 1
        assert left > 0


def test_the_clock_starts_at_the_ponder_hit() -> None:
    hand = Hand()
    clock = Clock(Limits(movetime=200, ponder=True), hand)
    hand.seconds += 1000
    assert not clock.expired()
    assert clock.may_go_on()
    clock.ponderhit()
    hand.seconds += 0.199
    assert not clock.expired()
    hand.seconds += 0.002
    assert clock.expired()
    assert clock.elapsed() == pytest.approx(1000.201)
