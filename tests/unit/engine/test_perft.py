"""Perft can be stopped soon in every game: one compiled call, which nothing interrupts, counts little."""

from __future__ import annotations

from typing import cast

import pytest

from quietmove.engine.games.base import MAX_PLY, Position
from quietmove.engine.perft import BULK_LEAVES, divide, leaves


class Tree:
    """A game in which every position has as many moves, without an end; it notes what is counted in one call."""

    def __init__(self, moves: int, slow: bool = False) -> None:
        self.moves = moves
        self.slow = slow
        self.ply = 0
        self.counts: list[int] = []

    def legal_moves(self) -> list[int]:
        return list(range(self.moves))

    def play(self, move: int) -> None:
        self.ply += 1

    def undo(self) -> None:
        self.ply -= 1

    def perft(self, depth: int) -> int:
        self.counts.append(self.moves**depth)
        return self.counts[-1]


@pytest.mark.parametrize(("moves", "depth"), [(2, 12), (10, 7), (33, 4), (361, 3), (512, 2)])
def test_one_call_counts_few_leaves(moves: int, depth: int) -> None:
    tree = Tree(moves)
    assert leaves(cast("Position", tree), depth, lambda: False) == moves**depth
    assert max(tree.counts, default=0) <= BULK_LEAVES
    assert tree.ply == 0


def test_a_game_whose_moves_may_take_any_time_is_counted_move_by_move() -> None:
    tree = Tree(5, slow=True)
    assert leaves(cast("Position", tree), 6, lambda: False) == 5**6
    assert tree.counts == []


def test_a_count_without_an_end_is_stopped() -> None:
    tree, asked = Tree(361), iter(range(1000))
    assert [count for _, count in divide(cast("Position", tree), MAX_PLY, lambda: next(asked) >= 300)] != []
    assert next(asked) < 1000
    assert sum(tree.counts) <= 300 * BULK_LEAVES
