"""Values of many Othello positions in one call, as targets for learning programs."""

from __future__ import annotations

from typing import Any

import numpy as np

from quietmove.engine.common.errors import ArgumentError
from quietmove.engine.games.othello.public_board import evaluate_boards, solve_boards
from quietmove.engine.games.othello.shape import SIZES

__all__ = ["evaluate", "solve", "to_bitboards"]


def evaluate(own: Any, opponent: Any) -> Any:
    """Return the network's estimate of each position, in hundredths of a disc from the side to move's point of view.

    Finished games have their exact values.

    :param own: the discs of the side to move: an array of any shape of 64-bit sets like :attr:`quietmove.Board.own`.
    :param opponent: the opponent's discs, of the same shape.
    :return: ``int32`` of the same shape.
    :raises ArgumentError: if the arrays have a different type or shape, or a square is in both sets.
    """
    return _values(evaluate_boards, *check_discs(own, opponent))


def solve(own: Any, opponent: Any) -> Any:
    """Return the exact value of each position, in discs from the side to move's point of view.

    The winner gets the empty squares.

    :param own: the discs of the side to move: an array of any shape of 64-bit sets like :attr:`quietmove.Board.own`.
    :param opponent: the opponent's discs, of the same shape.
    :return: ``int32`` of the same shape.
    :raises ArgumentError: as for :func:`evaluate`, or if a position has more than 12 empty squares.
    """
    return _values(solve_boards, *check_discs(own, opponent))


def to_bitboards(observation: Any) -> tuple[Any, Any]:
    """Convert Othello observations to 64-bit sets of discs, as accepted by :func:`evaluate` and :func:`solve`.

    :param observation: planes of shape (…, 8, 8, 2), as returned by the environments. The squares of a 6x6 or 4x4
        board become the middle of the set.
    :return: own and opponent's discs, two ``uint64`` arrays of shape (…).
    :raises ArgumentError: if the planes have a different shape or are not integers.
    """
    planes = np.asarray(observation)
    size = planes.shape[-2] if planes.ndim > 2 else 0
    if planes.shape[-3:] != (size, size, 2) or size not in SIZES or planes.dtype.kind not in "iub":
        raise ArgumentError(
            f"observation: must be integers of the shape (..., 8, 8, 2), not {planes.dtype} of {planes.shape}"
        )
    around = (8 - size) // 2
    planes = np.pad(planes, [(0, 0)] * (planes.ndim - 3) + [(around, around)] * 2 + [(0, 0)])
    squares = np.moveaxis(planes, -1, 0).reshape(2, *planes.shape[:-3], 64)
    packed = np.ascontiguousarray(np.packbits(squares, axis=-1, bitorder="little"))
    own, opponent = packed.view("<u8")[..., 0].astype(np.uint64)
    return own, opponent


def check_discs(own: Any, opponent: Any) -> tuple[Any, Any]:
    """Return the two arrays as ``uint64``.

    :raises ArgumentError: if they are not arrays of 64-bit sets of the same shape, or share a square.
    """
    arrays = []
    for name, given in (("own", own), ("opponent", opponent)):
        array = np.asarray(given)
        if array.dtype not in (np.uint64, np.int64):
            raise ArgumentError(f"{name}: must be an array of uint64, not {array.dtype} of {array.shape}")
        arrays.append(np.ascontiguousarray(array).astype(np.uint64).reshape(array.shape))
    if arrays[0].shape != arrays[1].shape:
        raise ArgumentError(f"opponent: must have the shape of own, {arrays[0].shape}, not {arrays[1].shape}")
    if (arrays[0] & arrays[1]).any():
        raise ArgumentError("opponent: must have no square in common with own")
    return arrays[0], arrays[1]


def _values(function: Any, own: Any, opponent: Any) -> Any:
    values = np.zeros(own.shape, np.int32)
    function(own.reshape(-1), opponent.reshape(-1), values.reshape(-1))
    return values
