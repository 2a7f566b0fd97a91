"""Sprague-Grundy values against brute force, closed forms, and the engine's own search."""

from __future__ import annotations

import pytest

from quietmove.engine.errors import GameError
from quietmove.engine.games.base import WIN
from quietmove.engine.games.registry import get_game
from quietmove.engine.search.grundy import heap_values, mex, tree_value


@pytest.mark.parametrize(
    ("values", "least"), [([], 0), ([0], 1), ([1, 2], 0), ([0, 1, 2, 5], 3), ([3, 0, 0, 1], 2), ([7, 7], 0)]
)
def test_mex(values: list[int], least: int) -> None:
    assert mex(values) == least


@pytest.mark.parametrize("most", [1, 2, 3, 7, 20])
def test_a_heap_is_worth_its_remainder(most: int) -> None:
    values = heap_values(1000, lambda heap: range(max(0, heap - most), heap))
    assert values == [heap % (most + 1) for heap in range(1001)]


def test_a_game_of_another_kind_has_no_value() -> None:
    position = get_game("capture XX-OO").initial()
    with pytest.raises(GameError, match="lost by the side that cannot move"):
        tree_value(position)
    assert position.ply == 0


def test_a_lost_position_is_minus_a_win() -> None:
    for name, text in (("nim", "0,0,0 X"), ("subtraction", "0 O")):
        position = get_game(name).parse_position(text.split())
        assert position.static_value() == -WIN
        assert tree_value(position) == 0
