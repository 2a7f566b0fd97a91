"""How long a search may take, by a clock that the test moves."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quietmove.engine.search.time_manager import (
    ITERATION_GROWTH,
    MAX_MOVES,
    SOLVING,
    STABLE,
    STABLE_AFTER,
    UNSTABLE,
    TimeManager,
)
from quietmove.engine.values import Limits

OTHELLO = {"end": 60, "reach": 12}
LONG = 1e7  # seconds, longer than any search


class Hand:
    """A clock whose hand is moved: seconds from an origin of its own."""

    def __init__(self) -> None:
        self.seconds = 5000.0

    def __call__(self) -> float:
        return self.seconds


def last(hand: Hand, goes_on: Callable[[], bool], start: float = 5000.0) -> float | None:
    """Return how many seconds after ``start`` ``goes_on`` ends to be true; None if it never does."""
    low, high = 0.0, LONG
    hand.seconds = start + high
    if goes_on():
        return None
    for _ in range(80):
        middle = (low + high) / 2
        hand.seconds = start + middle
        low, high = (middle, high) if goes_on() else (low, middle)
    return high


def spent(limits: Limits, **game: int) -> tuple[float | None, float | None]:
    """Return after how many seconds no iteration is started, and after how many the search is cut off."""
    hand = Hand()
    clock = TimeManager(limits, hand, **game)
    return last(hand, clock.may_go_on), last(hand, lambda: not clock.expired())


def share(limits: Limits, **game: int) -> float:
    """Return the seconds that the move should take, from when an iteration may be started whose move is settled."""
    soft = started_within(limits, [(3, 0)] * (STABLE_AFTER + 1), overhead=0, **game)
    return soft * (1 + ITERATION_GROWTH[0]) / 2 / STABLE


def started_within(limits: Limits, answers: Iterable[tuple[int, int]], growth: float = 1.0, **game: int) -> float:
    """Return the seconds within which an iteration is started after some that gave ``answers``: moves and values.

    :param growth: how many times the time until the end of an iteration is that until the end of the one before.
    """
    hand = Hand()
    clock = TimeManager(limits, hand, **game)
    seconds = 1e-6
    for move, value in answers:
        hand.seconds = 5000.0 + seconds
        clock.iteration_done(move, value)
        seconds *= growth
    found = last(hand, clock.may_go_on)
    assert found is not None
    return found


@pytest.mark.parametrize(
    "limits",
    [
        Limits(),
        Limits(depth=3),
        Limits(increment=100),
        *(Limits(infinite=True, **each) for each in ({"movetime": 100}, {"time": 100})),
    ],
)
def test_without_a_clock_time_does_not_matter(limits: Limits) -> None:
    assert spent(limits) == (None, None)


@pytest.mark.parametrize(
    ("movetime", "overhead", "used"),
    [(1, 0, 1), (50, 10, 40), (1000, 30, 970), (86_400_000, 10, 86_399_990), (15, 10, 7.5), (1, 10, 0.5)],
)
def test_the_time_for_a_move_is_used_up_but_for_the_overhead(movetime: int, overhead: int, used: float) -> None:
    limits = Limits(movetime=movetime)
    assert spent(limits, overhead=overhead) == (None, pytest.approx(used / 1000))
    assert not TimeManager(limits, Hand()).timed


@pytest.mark.parametrize(("left", "used"), [(1000, 940), (100, 50), (50, 25), (30, 10), (20, 0), (3, 0)])
def test_three_overheads_are_kept_back_from_a_clock_but_no_more_than_half_of_it(left: int, used: float) -> None:
    """Unless one overhead is more than that."""
    assert spent(Limits(time=left, movestogo=1), overhead=20)[1] == pytest.approx(used / 1000, abs=1e-6)


@pytest.mark.parametrize(("increment", "used"), [(0, 9.85), (4, 9.898), (10, 9.97), (500, 9.97)])
def test_the_moves_to_come_need_their_overheads_unless_their_increments_pay_for_them(
    increment: int, used: float
) -> None:
    """Thirteen moves are to come, this one among them; the time may be refilled before that."""
    limits = [Limits(time=time, increment=increment) for time in (10_000, round(1000 * used))]
    kept, plain = (spent(limits[i], overhead=10 * (1 - i), end=26, reach=26)[1] for i in range(2))
    assert kept == pytest.approx(plain)
    refilled = spent(Limits(time=10_000, movestogo=2), overhead=10, end=26)[1]
    assert refilled == pytest.approx(spent(Limits(time=9_960, movestogo=2), overhead=0, end=26)[1])


@settings(max_examples=60)
@given(
    time=st.integers(0, 3_600_000),
    increment=st.integers(0, 60_000),
    movestogo=st.none() | st.integers(1, 60),
    movetime=st.none() | st.integers(1, 60_000),
    overhead=st.integers(0, 1000),
    end=st.integers(0, 1000),
    reach=st.integers(0, 12),
)
def test_a_game_clock_is_never_overdrawn(
    time: int, increment: int, movestogo: int | None, movetime: int | None, overhead: int, end: int, reach: int
) -> None:
    limits = Limits(time=time, increment=increment, movestogo=movestogo, movetime=movetime)
    soft, hard = spent(limits, overhead=overhead, end=end, reach=reach)
    assert soft is not None
    assert hard is not None
    assert hard <= max(0, time - overhead) / 1000 + 1e-6
    assert movetime is None or hard <= max(movetime - overhead, movetime / 2) / 1000 + 1e-6
    assert soft <= hard + 1e-6
    assert TimeManager(limits, Hand()).timed


def test_the_time_until_the_clock_is_refilled_is_shared_out_over_these_moves() -> None:
    for moves in (4, 6, 8, 10):
        assert share(Limits(time=10_000, movestogo=moves), **OTHELLO) == pytest.approx(10 / moves)
    assert spent(Limits(time=10_030, movestogo=1), **OTHELLO)[1] == pytest.approx(10)
    assert spent(Limits(time=10_010, movestogo=60), **OTHELLO) == spent(Limits(time=10_010), **OTHELLO)


def test_a_game_of_any_length_gets_a_share_of_its_own() -> None:
    known, unknown = (spent(Limits(time=10_000), **game) for game in ({"end": 500}, {}))
    assert known == unknown
    assert known[1] == pytest.approx(4 * 9.73 / (MAX_MOVES + SOLVING))


@pytest.mark.parametrize("seconds", [1, 5, 20, 300])
@pytest.mark.parametrize("part", [0.8, 1.0, 1.2])
def test_most_of_a_budget_is_used_before_the_end_is_solved_and_enough_is_left_for_that(
    seconds: int, part: float
) -> None:
    """Each move takes a part of its share; the end is solved when one share is enough for that."""
    left, end = float(seconds), 60
    while 0.0005 * 2 ** (end - 12) > share(Limits(time=int(1000 * left)), end=end, reach=12):
        left -= part * share(Limits(time=int(1000 * left)), end=end, reach=12)
        end -= 2
    assert 16 <= end <= 28
    assert seconds / 20 < left < seconds / 4


def test_a_search_that_changes_its_mind_takes_longer() -> None:
    limits = Limits(time=10_000)
    settled = started_within(limits, [(3, 0)] * (STABLE_AFTER + 1), **OTHELLO)
    settling = started_within(limits, [(2, 0)] * 4 + [(3, 0)] * 4, **OTHELLO)
    changed = started_within(limits, [(2, 0)] * 7 + [(3, 0)], **OTHELLO)
    assert settled < settling < changed
    assert changed == pytest.approx(UNSTABLE / STABLE * settled, rel=0.001)


def test_a_search_whose_value_falls_takes_longer() -> None:
    limits = Limits(time=10_000)
    level, falling, fallen, lost, rising = (
        started_within(limits, [(3, 0)] * 6 + [(3, value), (3, value)], **OTHELLO)
        for value in (0, -150, -300, -3000, 300)
    )
    assert level == rising
    assert [falling, fallen, lost] == pytest.approx([1.5 * level, 2 * level, 2 * level])
    odd_and_even = started_within(limits, [(3, 0), (3, -300)] * 4, **OTHELLO)
    assert odd_and_even == level


def test_what_is_kept_for_solving_the_end_may_be_used_once_it_is_in_reach() -> None:
    """However settled the search is."""
    hand = Hand()
    clock = TimeManager(Limits(time=10_000), hand, **OTHELLO)
    for depth in range(8):
        clock.iteration_done(3, 0, to_end=depth == 7)
    settled = started_within(Limits(time=10_000), [(3, 0)] * 8, **OTHELLO)
    assert last(hand, clock.may_go_on) == pytest.approx(SOLVING / STABLE * settled)
    clock.iteration_done(3, 0)
    assert last(hand, clock.may_go_on) == pytest.approx(settled)


def test_an_iteration_is_started_only_if_it_brings_the_move_nearer_to_its_share() -> None:
    """The faster the iterations grow, the sooner the last one is started."""
    limits = Limits(time=10_000)
    slow, medium, fast, wild = (
        started_within(limits, [(3, 0)] * 8, growth, **OTHELLO) for growth in (1.2, 1.6, 2.5, 10)
    )
    assert slow > medium > fast
    assert wild == fast
    assert slow * 1.1 == pytest.approx(fast * 1.75)


def test_an_iteration_that_the_clock_would_cut_off_is_not_started() -> None:
    limits = Limits(time=10_000, movetime=100)
    assert started_within(limits, [(3, 0)] * 8, 2.5, **OTHELLO) == pytest.approx(0.090 / 2.5)
    assert spent(Limits(movetime=100))[0] is None  # time cannot be saved for a later move, so all of it is used


def test_the_speed_that_is_expected_of_a_search_to_the_end_counts_the_time_of_pondering() -> None:
    hand = Hand()
    clock = TimeManager(Limits(movetime=1000, ponder=True), hand, overhead=0)
    hand.seconds += 100
    clock.ponderhit()
    assert clock.allows_end(8, 10**6, selective=False) == (100 * 2**8 / 32 <= 1)
    assert clock.allows_end(0, 10**6, selective=False) == (100 / 32 <= 1)
    assert clock.allows_end(8, 10**6) is False
    hand = Hand()
    clock = TimeManager(Limits(movetime=1000, ponder=True), hand, overhead=0)
    hand.seconds += 0.1
    clock.ponderhit()
    assert clock.allows_end(8, 10**6)


def test_an_increment_is_added_once_to_the_share_of_a_move() -> None:
    without = share(Limits(time=60_000), **OTHELLO)
    assert share(Limits(time=60_000, increment=2000), **OTHELLO) == pytest.approx(without + 2, abs=0.01)
    assert share(Limits(time=1000, increment=20_000), **OTHELLO) == pytest.approx(1)
