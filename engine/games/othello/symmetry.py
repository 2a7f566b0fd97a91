"""The eight symmetric images of an 8x8 board, and the canonical board and key that they share.

Sets of squares are 64-bit integers. Compiled, because databases have millions of positions.
"""

from __future__ import annotations

import cython
from cython.cimports.quietmove.engine.games.othello.bits_header import (
    flips,
    lowest_square,
    mobility,
    popcount,
    prepare_rays,
)
from cython.cimports.quietmove.engine.games.othello.symmetry import IMAGES, KEY_BITS, MAX_DISCS, NO_MOVE

from quietmove.engine.games.base import Position
from quietmove.engine.games.othello.board import OthelloPosition

__all__ = ["KEY_BITS", "MAX_DISCS", "NO_MOVE", "Board", "board_of", "canonical", "canonical_board", "images", "trace"]

Board = tuple[int, int]  # the discs of the side to move and of the opponent

prepare_rays()


@cython.cfunc
@cython.exceptval(check=False)
def swapped(squares: cython.ulonglong, by: cython.int, mask: cython.ulonglong) -> cython.ulonglong:
    """Exchange the squares of ``mask`` with the squares ``by`` bits above them."""
    return squares >> by & mask | (squares & mask) << by


@cython.cfunc
@cython.exceptval(check=False)
def across(squares: cython.ulonglong, by: cython.int, mask: cython.ulonglong) -> cython.ulonglong:
    """Exchange the squares of ``mask`` with the squares ``by`` bits below them, and leave all others unchanged."""
    change: cython.ulonglong = (squares ^ squares << by) & mask
    return squares ^ change ^ change >> by


@cython.cfunc
@cython.exceptval(check=False)
def image(squares: cython.ulonglong, number: cython.int) -> cython.ulonglong:
    """Return an image of a set of squares: bit 0 of ``number`` mirrors it, bit 1 flips it, and bit 2 transposes it."""
    if number & 1:
        squares = swapped(squares, 1, cython.cast(cython.ulonglong, 0x5555555555555555))
        squares = swapped(squares, 2, cython.cast(cython.ulonglong, 0x3333333333333333))
        squares = swapped(squares, 4, cython.cast(cython.ulonglong, 0x0F0F0F0F0F0F0F0F))
    if number & 2:
        squares = swapped(squares, 8, cython.cast(cython.ulonglong, 0x00FF00FF00FF00FF))
        squares = swapped(squares, 16, cython.cast(cython.ulonglong, 0x0000FFFF0000FFFF))
        squares = squares >> 32 | squares << 32
    if number & 4:
        squares = across(squares, 28, cython.cast(cython.ulonglong, 0x0F0F0F0F00000000))
        squares = across(squares, 14, cython.cast(cython.ulonglong, 0x3333000033330000))
        squares = across(squares, 7, cython.cast(cython.ulonglong, 0x5500550055005500))
    return squares


@cython.cfunc
@cython.exceptval(check=False)
def mixed(bits: cython.ulonglong) -> cython.ulonglong:
    """Mix the bits of a number so that each depends on all of them (SplitMix64's finalizer, Steele et al. 2014)."""
    bits = (bits ^ bits >> 30) * cython.cast(cython.ulonglong, 0xBF58476D1CE4E5B9)
    bits = (bits ^ bits >> 27) * cython.cast(cython.ulonglong, 0x94D049BB133111EB)
    return bits ^ bits >> 31


@cython.cfunc
def least_image(
    own: cython.ulonglong, opp: cython.ulonglong, move: cython.int
) -> tuple[cython.ulonglong, cython.ulonglong, cython.int]:
    """Return the image of a board with the smallest pair of numbers, and the square of ``move`` on it."""
    least_own: cython.ulonglong = own
    least_opp: cython.ulonglong = opp
    there: cython.ulonglong = cython.cast(cython.ulonglong, 1) << move
    least_move: cython.int = move
    i: cython.int
    for i in range(1, IMAGES):
        image_own: cython.ulonglong = image(own, i)
        if image_own > least_own:
            continue
        image_opp: cython.ulonglong = image(opp, i)
        if image_own == least_own and image_opp > least_opp:
            continue
        turned: cython.int = lowest_square(image(there, i))
        if image_own < least_own or image_opp < least_opp or turned < least_move:
            least_own, least_opp, least_move = image_own, image_opp, turned
    return least_own, least_opp, least_move


def images(squares: cython.ulonglong) -> tuple[int, ...]:
    """Return the eight symmetric images of a set of squares in a fixed order, the original first."""
    return tuple([image(squares, number) for number in range(IMAGES)])


def canonical_board(own: cython.ulonglong, opp: cython.ulonglong) -> Board:
    """Return the canonical image of a board: the one with the smallest pair of numbers."""
    return least_image(own, opp, NO_MOVE)[:2]


def board_of(position: Position) -> Board:
    """Return the canonical board of an Othello position, which its symmetric images share."""
    assert isinstance(position, OthelloPosition)
    discs = (position.black, position.white)
    return canonical_board(*(reversed(discs) if position.side_to_move else discs))


def canonical(own: cython.ulonglong, opp: cython.ulonglong, move: cython.int) -> tuple[int, int]:
    """Return a position's key, and the square of ``move`` on the canonical board.

    :param own, opp: the discs of the side to move and of the opponent.
    :param move: a square; symmetric moves on a symmetric board map to the same square.
    """
    own, opp, move = least_image(own, opp, move)
    key: cython.ulonglong = mixed(mixed(own) + opp) >> (64 - KEY_BITS)
    return key, move


def trace(own: cython.ulonglong, opp: cython.ulonglong, moves: bytes) -> list[tuple[int, int, int]]:
    """Return the positions of a game with at most :data:`MAX_DISCS` discs, except those with a forced pass.

    Each entry consists of the position's key, the move made there (as in :func:`canonical`), and the side to move: 0
    for the side that moves first, 1 for the other. The final position, if included, has the move :data:`NO_MOVE`.

    :param own, opp: the position before the first move.
    :param moves: legal moves, one square per byte, without passes.
    """
    found = []
    side: cython.int = 0
    count: cython.Py_ssize_t = len(moves)
    i: cython.Py_ssize_t
    for i in range(count + 1):
        if popcount(own | opp) > MAX_DISCS:
            break
        if not mobility(own, opp) and mobility(opp, own):
            own, opp, side = opp, own, 1 - side
        if i == count:
            found.append((canonical(own, opp, NO_MOVE)[0], NO_MOVE, side))
            break
        move: cython.int = moves[i]
        key, turned_move = canonical(own, opp, move)
        found.append((key, turned_move, side))
        turned: cython.ulonglong = flips(own, opp, move)
        own, opp = opp ^ turned, own | turned | cython.cast(cython.ulonglong, 1) << move
        side = 1 - side
    return found
