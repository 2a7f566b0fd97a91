"""Stable discs of an Othello board: discs that no sequence of moves can flip.

A disc is stable if each of the four lines through it is full or has an adjacent stable disc of the same side. On the
edges, stability is determined exactly, by trying all ways to add discs.
"""

from __future__ import annotations

import cython
from cython.cimports.quietmove.engine.games.othello.bits_header import column_of

A_FILE = cython.declare(cython.ulonglong, 0x0101010101010101)
SPREAD = cython.declare(cython.ulonglong, 0x02040810204081)  # multiplier that spreads seven bits to the a-file
INNER = cython.declare(cython.ulonglong, 0x007E7E7E7E7E7E00)  # the squares that are not on an edge
# The stable discs of an edge, indexed by own discs * 256 + opponent's discs.
EDGE_STABLE = cython.declare(cython.uchar[65536])


@cython.cfunc
@cython.exceptval(check=False)
def edge_flips(own: cython.int, opp: cython.int, square: cython.int) -> cython.int:
    """Return the discs that ``own`` flips on an edge of eight squares by playing on ``square``."""
    turned: cython.int = 0
    run: cython.int = 0
    i: cython.int = square + 1
    while i < 8 and opp >> i & 1:
        run |= 1 << i
        i += 1
    if i < 8 and own >> i & 1:
        turned = run
    run = 0
    i = square - 1
    while i >= 0 and opp >> i & 1:
        run |= 1 << i
        i -= 1
    if i >= 0 and own >> i & 1:
        turned |= run
    return turned


@cython.cfunc
def prepare_edges() -> None:
    """Fill :data:`EDGE_STABLE`: a disc is stable if no disc that either side adds to the edge can flip it."""
    filled: cython.int
    own: cython.int
    opp: cython.int
    square: cython.int
    turned: cython.int
    safe: cython.int
    for filled in range(255, -1, -1):  # edges with more discs first, since other edges depend on them
        own = filled
        while True:  # over all subsets of the filled squares
            opp = filled ^ own
            safe = own
            for square in range(8):
                if not filled >> square & 1:
                    turned = edge_flips(own, opp, square)
                    safe &= EDGE_STABLE[(own | turned | 1 << square) << 8 | opp ^ turned]
                    turned = edge_flips(opp, own, square)
                    safe &= EDGE_STABLE[(own ^ turned) << 8 | opp | turned | 1 << square]
            EDGE_STABLE[own << 8 | opp] = safe
            if own == 0:
                break
            own = (own - 1) & filled


prepare_edges()


def edge_stable(own: cython.int, opp: cython.int) -> cython.int:
    """Return the discs of ``own`` on an edge of eight squares that no further disc on the edge can flip."""
    stable: cython.int = EDGE_STABLE[own << 8 | opp]
    return stable


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def in_a_file(eight: cython.ulonglong) -> cython.ulonglong:
    """Spread a set of eight bits to the a-file."""
    return ((eight & 0x7F) * SPREAD & A_FILE) | (eight & 0x80) << 49


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def stable_on_edges(own: cython.ulonglong, opp: cython.ulonglong) -> cython.ulonglong:
    """Return the stable discs of ``own`` on the four edges."""
    stable: cython.ulonglong = cython.cast(cython.ulonglong, EDGE_STABLE[(own & 255) << 8 | opp & 255])
    stable |= cython.cast(cython.ulonglong, EDGE_STABLE[own >> 56 << 8 | opp >> 56]) << 56
    stable |= in_a_file(EDGE_STABLE[column_of(own, 0) << 8 | column_of(opp, 0)])
    return stable | in_a_file(EDGE_STABLE[column_of(own, 7) << 8 | column_of(opp, 7)]) << 7


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def full_rows(filled: cython.ulonglong) -> cython.ulonglong:
    """Return the squares of all full rows."""
    rows: cython.ulonglong = filled & filled >> 4
    rows &= rows >> 2
    rows &= rows >> 1
    return (rows & A_FILE) * 255


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def full_columns(filled: cython.ulonglong) -> cython.ulonglong:
    """Return the squares of all full columns."""
    columns: cython.ulonglong = filled & (filled >> 32 | filled << 32)
    columns &= columns >> 16 | columns << 48
    columns &= columns >> 8 | columns << 56
    return columns


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def full_diagonals(filled: cython.ulonglong) -> cython.ulonglong:
    """Return the squares of all full diagonals parallel to a1-h8; squares off the board count as full."""
    up: cython.ulonglong = filled
    up &= up >> 9 | cython.cast(cython.ulonglong, 0xFF80808080808080)
    up &= up >> 18 | cython.cast(cython.ulonglong, 0xFFFFC0C0C0C0C0C0)
    up &= up >> 36 | cython.cast(cython.ulonglong, 0xFFFFFFFFF0F0F0F0)
    down: cython.ulonglong = filled
    down &= down << 9 | cython.cast(cython.ulonglong, 0x01010101010101FF)
    down &= down << 18 | cython.cast(cython.ulonglong, 0x030303030303FFFF)
    down &= down << 36 | cython.cast(cython.ulonglong, 0x0F0F0F0FFFFFFFFF)
    return up & down


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def full_antidiagonals(filled: cython.ulonglong) -> cython.ulonglong:
    """Return the squares of all full diagonals parallel to h1-a8."""
    up: cython.ulonglong = filled
    up &= up >> 7 | cython.cast(cython.ulonglong, 0xFF01010101010101)
    up &= up >> 14 | cython.cast(cython.ulonglong, 0xFFFF030303030303)
    up &= up >> 28 | cython.cast(cython.ulonglong, 0xFFFFFFFF0F0F0F0F)
    down: cython.ulonglong = filled
    down &= down << 7 | cython.cast(cython.ulonglong, 0x80808080808080FF)
    down &= down << 14 | cython.cast(cython.ulonglong, 0xC0C0C0C0C0C0FFFF)
    down &= down << 28 | cython.cast(cython.ulonglong, 0xF0F0F0F0FFFFFFFF)
    return up & down


def stable_discs(own: cython.ulonglong, opp: cython.ulonglong, outside: cython.ulonglong) -> cython.ulonglong:
    """Return discs of ``own`` that are certainly stable. There may be other stable discs.

    :param outside: squares that are not part of a small board; like the edge of the board, they end a line.
    """
    filled: cython.ulonglong = own | opp | outside
    rows: cython.ulonglong = full_rows(filled)
    columns: cython.ulonglong = full_columns(filled)
    diagonals: cython.ulonglong = full_diagonals(filled)
    others: cython.ulonglong = full_antidiagonals(filled)
    inner: cython.ulonglong = own & INNER
    stable: cython.ulonglong = stable_on_edges(own, opp) | outside | inner & rows & columns & diagonals & others
    before: cython.ulonglong = 0
    while stable != before:
        before = stable
        stable |= (
            inner
            & (stable << 1 | stable >> 1 | rows)
            & (stable << 8 | stable >> 8 | columns)
            & (stable << 9 | stable >> 9 | diagonals)
            & (stable << 7 | stable >> 7 | others)
        )
    return stable & own
