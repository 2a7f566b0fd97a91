"""The boards of Othello: eight squares a side, or six or four.

A small board is the middle of the 64 bits of a large one, so that the first four discs are the same bits on all of
them, and what lies around it holds no disc. A position's text counts the squares of the board alone: ``a1`` is the
upper left corner of any board.
"""

from __future__ import annotations

from functools import cache

SIZES = (8, 6, 4)
GROUPS = 6


def bit_of(index: int, size: int) -> int:
    """Return the bit of the square with this index, counted row by row from the upper left corner."""
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
    """Return the squares of a board as six sets, in the order in which their moves are tried.

    The corners, the sixteen squares of the centre, the edges, what lies between centre and edges, the squares beside a
    corner on an edge (C-squares), and those beside a corner on a diagonal (X-squares).
    """
    groups = [0] * GROUPS
    for index in range(size * size):
        row, column = divmod(index, size)
        depth = sorted((min(row, size - 1 - row), min(column, size - 1 - column)))  # squares to the nearest edges
        group = {(0, 0): 0, (0, 1): 4, (1, 1): 5}.get((depth[0], depth[1]))
        if group is None:
            group = 2 if depth[0] == 0 else 1 if depth[0] > size // 2 - 3 else 3
        groups[group] |= 1 << bit_of(index, size)
    return tuple(groups)
