"""Sprague-Grundy values against brute force, closed forms, and the engine's own search."""

from __future__ import annotations

import random
from typing import Any

import pytest

from quietmove.engine.errors import GameError
from quietmove.engine.games.base import DECISIVE, WIN, Position
from quietmove.engine.games.registry import get_game
from quietmove.engine.search.deepening import Deepening
from quietmove.engine.search.grundy import heap_values, mex, tree_value, xor_sum
from quietmove.engine.search.table import Table
from quietmove.engine.values import Limits, Settings


def searched(position: Position) -> tuple[int, int | None]:
    """Return value and move of the engine's search, which ends where it sees the end of the game."""
    search = Deepening(position, Table(1), Settings(), Limits())
    infos = list(search.iterations())
    assert WIN - abs(infos[-1].score.value) <= infos[-1].depth <= position.moves_left()
    return infos[-1].score.value, search.result().move


def mover_wins(position: Position, known: dict[str, bool], text: Any) -> bool:
    """Brute force from the rule alone: a position is won if a move leads to a lost one."""
    name = text(position)
    if name not in known:
        won = False
        for move in position.legal_moves():
            position.play(move)
            won = not mover_wins(position, known, text) or won
            position.undo()
        known[name] = won
    return known[name]


@pytest.mark.parametrize(
    ("values", "least"), [([], 0), ([0], 1), ([1, 2], 0), ([0, 1, 2, 5], 3), ([3, 0, 0, 1], 2), ([7, 7], 0)]
)
def test_mex(values: list[int], least: int) -> None:
    assert mex(values) == least


def test_xor_sum() -> None:
    assert xor_sum([]) == 0
    assert xor_sum([3, 4, 5]) == 2
    assert xor_sum([9, 9]) == 0


@pytest.mark.parametrize("most", [1, 2, 3, 7, 20])
def test_a_heap_is_worth_its_remainder(most: int) -> None:
    values = heap_values(1000, lambda heap: range(max(0, heap - most), heap))
    assert values == [heap % (most + 1) for heap in range(1001)]


@pytest.mark.parametrize("most", [1, 3, 5])
def test_one_heap_by_formula_by_tree_and_by_search(most: int) -> None:
    game = get_game(f"subtraction 60 {most}")
    known: dict[str, bool] = {}
    for heap in range(61):
        position = game.parse_position([str(heap), "XO"[heap % 2]])
        value = heap % (most + 1)
        assert tree_value(position) == value
        assert mover_wins(position, known, game.format_position) == (value != 0)
        if heap:
            score, move = searched(position)
            assert abs(score) > DECISIVE
            assert (score > 0) == (value != 0)
            assert value in (0, move)


def piles(seed: int) -> str:
    choices = random.Random(seed)
    return ",".join(str(choices.randint(0, 4)) for _ in range(choices.randint(1, 4))) + ",1"


@pytest.mark.parametrize("seed", range(20))
def test_piles_by_xor_by_mex_by_brute_force_and_by_search(seed: int) -> None:
    game = get_game(f"nim {piles(seed)}")
    position = game.initial()
    heaps = [int(pile) for pile in piles(seed).split(",")]
    value = xor_sum(heaps)
    assert tree_value(position) == value
    assert mover_wins(position, {}, game.canonical) == (value != 0)
    score, move = searched(position)
    assert (score > DECISIVE) == (value != 0)
    assert (score < -DECISIVE) == (value == 0)
    assert game.format_position(position) == game.format_position(game.initial())
    assert move is not None
    position.play(move)
    assert value == 0 or tree_value(position) == 0


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
