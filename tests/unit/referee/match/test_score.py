from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quietmove.referee.match.score import estimate

# Published match results: outcomes worst first, Elo, and half the width of its 95 % interval. The pentanomial results
# are from fastchess runs reported in an engine's history, the trinomial results from fastchess's own tests.
PUBLISHED = [
    ((4, 4, 58, 51, 198), 294.93, 33.71),
    ((1, 5, 45, 54, 252), 355.96, 35.36),
    ((772, 1329, 859), 10.21, 9.28),
    ((1267, 3049, 1164), -6.53, 6.12),
    ((36, 14, 0), -315.34, 95.43),
]


@pytest.mark.parametrize(("counts", "elo", "error"), PUBLISHED)
def test_published_results(counts: tuple[int, ...], elo: float, error: float) -> None:
    found = estimate(counts)
    assert found is not None
    assert found.elo == pytest.approx(elo, abs=0.01)
    assert (found.elo_high - found.elo_low) / 2 == pytest.approx(error, rel=0.01)


def test_pairs_without_spread_have_a_wide_interval() -> None:
    one, many = estimate((0, 0, 0, 0, 1)), estimate((0, 0, 0, 0, 1000))
    assert one is not None
    assert many is not None
    assert (one.elo, one.elo_high) == (math.inf, math.inf)
    assert one.elo_low < 0 < many.elo_low
    assert one.superiority < 0.9 < many.superiority


@given(st.lists(st.integers(0, 50), min_size=5, max_size=5))
def test_swapping_the_sides_mirrors_the_estimate(counts: list[int]) -> None:
    found, mirrored = estimate(counts), estimate(counts[::-1])
    if found is None or mirrored is None:
        assert sum(counts) == 0
        return
    assert found.elo_low <= found.elo <= found.elo_high
    assert found.elo == pytest.approx(-mirrored.elo, abs=1e-6)
    assert found.elo_low == pytest.approx(-mirrored.elo_high, abs=1e-6)
    assert found.superiority == pytest.approx(1 - mirrored.superiority, abs=1e-9)
