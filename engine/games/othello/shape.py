"""The boards of Othello: 8x8, 6x6 and 4x4 squares.

A small board uses the middle of the large board's 64 bits, so that the initial discs have the same bits on all boards,
and the squares around it stay empty. In text, only the squares of the board itself are counted: ``a1`` is the upper
left corner of every board.
"""

from __future__ import annotations

from functools import cache

SIZES = (8, 6, 4)
GROUPS = 6


def bit_of(index: int, size: int) -> int:
    """Return the bit of a square, given its index row by row from the upper left corner."""
    row, column = divmod(index, size)
    around = (8 - size) // 2
    return 8 * (row + around) + column + around


def index_of(bit: int, size: int) -> int:
    around = (8 - size) // 2
    return size * (bit // 8 - around) + bit % 8 - around


def board_squares(size: int) -> int:
    """Return the squares of a board as a 64-bit set."""
    return sum(1 << bit_of(index, size) for index in range(size * size))


@cache
def square_groups(size: int) -> tuple[int, ...]:
    """Return the squares of a board as six sets, in the order in which moves are tried.

    These are the corners, the sixteen squares of the centre, the edges, the squares between centre and edges, the
    squares next to a corner on an edge (C-squares), and those diagonally next to a corner (X-squares).
    """
    groups = [0] * GROUPS
    for index in range(size * size):
        row, column = divmod(index, size)
        depth = sorted((min(row, size - 1 - row), min(column, size - 1 - column)))  # distances to the nearest edges
        group = {(0, 0): 0, (0, 1): 4, (1, 1): 5}.get((depth[0], depth[1]))
        if group is None:
            group = 2 if depth[0] == 0 else 1 if depth[0] > size // 2 - 3 else 3
        groups[group] |= 1 << bit_of(index, size)
    return tuple(groups)
