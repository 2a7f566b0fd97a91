"""The eight symmetric images of sets of squares on an 8x8 board, as 64-bit integers."""

from __future__ import annotations

from quietmove.engine.games.base import Position
from quietmove.engine.games.othello.board import OthelloPosition

Board = tuple[int, int]  # the discs of the side to move and of the opponent


def upside_down(squares: int) -> int:
    """Return the squares with the rows in reverse order."""
    return int.from_bytes(squares.to_bytes(8, "little"), "big")


def mirrored(squares: int) -> int:
    """Return the squares with the columns in reverse order."""
    squares = squares >> 1 & 0x5555555555555555 | (squares & 0x5555555555555555) << 1
    squares = squares >> 2 & 0x3333333333333333 | (squares & 0x3333333333333333) << 2
    return squares >> 4 & 0x0F0F0F0F0F0F0F0F | (squares & 0x0F0F0F0F0F0F0F0F) << 4


def transposed(squares: int) -> int:
    """Return the squares with rows and columns swapped, by exchanging blocks of 4x4, 2x2 and single squares."""
    change = (squares ^ squares << 28) & 0x0F0F0F0F00000000
    squares ^= change ^ change >> 28
    change = (squares ^ squares << 14) & 0x3333000033330000
    squares ^= change ^ change >> 14
    change = (squares ^ squares << 7) & 0x5500550055005500
    return squares ^ change ^ change >> 7


def images(squares: int) -> tuple[int, ...]:
    """Return the eight symmetric images of a set of squares in a fixed order, the original first."""
    four = (squares, upside_down(squares), mirrored(squares), upside_down(mirrored(squares)))
    return (*four, *map(transposed, four))


def canonical_board(own: int, opp: int) -> Board:
    """Return the canonical image of a board: the one with the smallest pair of numbers."""
    return min(zip(images(own), images(opp), strict=True))


def board_of(position: Position) -> Board:
    """Return the canonical board of an Othello position, which its symmetric images share."""
    assert isinstance(position, OthelloPosition)
    discs = (position.black, position.white)
    return canonical_board(*(reversed(discs) if position.side_to_move else discs))
