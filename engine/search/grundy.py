"""Impartial games without a tree search: Sprague-Grundy values.

In an impartial game both sides have the same moves; under normal play who cannot move loses. Each position is then
worth a number, the least one that none of its moves leads to, and the side to move loses exactly at 0 (Sprague 1935,
Grundy 1939). A position made of independent parts, of which a move changes one, is worth the XOR of their numbers, so
its tree, which grows with the product of the parts, need not be searched.

Three ways to one number: :func:`closed_form`, :func:`sum_value` part by part, and :func:`tree_value`, which plays every
move of any game there is and asks nothing but its rules.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import reduce
from operator import xor
from typing import Protocol, runtime_checkable

from quietmove.engine.errors import GameError
from quietmove.engine.games.base import WIN, Position

__all__ = ["HeapPosition", "closed_form", "heap_values", "mex", "sum_value", "tree_value", "winning_moves", "xor_sum"]


@runtime_checkable
class HeapPosition(Protocol):
    """A position that is a sum of heaps, of which a move makes one smaller."""

    def heaps(self) -> Sequence[int]:
        """Return the size of each heap."""

    def rests(self, heap: int) -> Sequence[int]:
        """Return the sizes, all of them smaller, that a move can leave of a heap."""


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


def closed_form(heap: int, most: int) -> int:
    """Return the value of a heap of which a move takes 1 to ``most``: the remainder of ``heap`` by ``most + 1``."""
    return heap % (most + 1)


def sum_value(position: Position) -> int:
    """Return the value of a position made of heaps: the XOR of theirs, each from the values of smaller heaps.

    :raises GameError: if it is not a :class:`HeapPosition`.
    """
    if not isinstance(position, HeapPosition):
        raise GameError("the XOR form needs a position made of heaps; this one is not")
    heaps = position.heaps()
    values = heap_values(max(heaps), position.rests)
    return xor_sum(values[heap] for heap in heaps)


def tree_value(position: Position) -> int:
    """Return the value by playing every move, each position once; it is restored.

    :raises GameError: if a game ends otherwise than with a loss of the side to move, so that it has no such value.
    """
    return _tree_value(position, {})


def _tree_value(position: Position, known: dict[int, int]) -> int:
    if position.key in known:
        return known[position.key]
    values = []
    for move in position.legal_moves():
        position.play(move)
        try:
            values.append(_tree_value(position, known))
        finally:
            position.undo()
    if not values and position.static_value() != -WIN:
        raise GameError(
            "a Sprague-Grundy value needs a game that is lost by the side that cannot move; this one is not"
        )
    known[position.key] = mex(values)
    return known[position.key]


def winning_moves(position: Position, value: Callable[[Position], int] = tree_value) -> list[int]:
    """Return the moves that win, which are those to a position of value 0; none where the position is lost.

    :param value: what finds a position's value, such as :func:`sum_value`.
    """
    found = []
    for move in position.legal_moves():
        position.play(move)
        if value(position) == 0:
            found.append(move)
        position.undo()
    return found
