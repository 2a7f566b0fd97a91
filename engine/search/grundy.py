"""Impartial games without a tree search: Sprague-Grundy values.

In an impartial game both sides have the same moves; under normal play who cannot move loses. Each position is then
worth a number, the least one that none of its moves leads to, and the side to move loses exactly at 0 (Sprague 1935,
Grundy 1939). A position made of independent parts, of which a move changes one, is worth the XOR of their numbers, so
its tree, which grows with the product of the parts, need not be searched.

Two ways to one number: the XOR of :func:`heap_values`, and :func:`tree_value`, which plays every move of any game there
is and asks nothing but its rules.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from functools import reduce
from operator import xor
from typing import Any

from quietmove.engine.errors import GameError
from quietmove.engine.games.base import WIN, Position

__all__ = ["heap_values", "mex", "tree_value", "xor_sum"]


def mex(values: Iterable[int]) -> int:
    """Return the least number from 0 on that is not among ``values`` (the minimal excludant)."""
    found = set(values)
    return next(number for number in range(len(found) + 1) if number not in found)


def xor_sum(values: Iterable[int]) -> int:
    """Return the value of a sum of positions with these values."""
    return reduce(xor, values, 0)


def heap_values(largest: int, rests: Callable[[int], Iterable[int]]) -> list[int]:
    """Return the values of the heaps 0, 1 … ``largest``.

    :param rests: the sizes that a move can leave of a heap, each of them smaller.
    """
    values: list[int] = []
    for heap in range(largest + 1):
        values.append(mex(values[rest] for rest in rests(heap)))
    return values


def tree_value(position: Position, name: Callable[[Any], Hashable] = lambda position: position.key) -> int:
    """Return the value by playing every move, each position once; it is restored.

    :param name: the same for positions that are as good as one, such as piles in another order.
    :raises GameError: if a game ends otherwise than with a loss of the side to move, so that it has no such value.
    """
    return _tree_value(position, {}, name)


def _tree_value(position: Position, known: dict[Hashable, int], name: Callable[[Any], Hashable]) -> int:
    if (here := name(position)) in known:
        return known[here]
    values = []
    for move in position.legal_moves():
        position.play(move)
        try:
            values.append(_tree_value(position, known, name))
        finally:
            position.undo()
    if not values and position.static_value() != -WIN:
        raise GameError(
            "a Sprague-Grundy value needs a game that is lost by the side that cannot move; this one is not"
        )
    known[here] = mex(values)
    return known[here]
