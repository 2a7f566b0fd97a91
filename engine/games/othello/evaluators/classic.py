"""The hand-written evaluation of Othello: well-known features, each as a difference between the two sides.

Every term except parity changes its sign when the sides are swapped; parity belongs to the side to move. All weights
are integers in hundredths of a disc, so that every machine computes the same value. The terms are those of the classic
programs (Rosenbloom 1982, "A World-Championship-Level Othello Program"): mobility, potential mobility, edge stability,
the squares next to the corners, and the disc count near the end.
"""

from __future__ import annotations

import cython
from cython.cimports.quietmove.engine.games.othello.bits_header import column_of, final_discs, mobility, near, popcount
from cython.cimports.quietmove.engine.games.othello.stability import edge_stable

from quietmove.engine.games.othello.evaluators.evaluator import Evaluator

# The weight of each term with 0, 20, 40 and 60 empty squares: rounded from a least-squares fit of the eight terms to
# the final disc differences of tournament games. A corner also counts twice as a stable disc of its two edges.
ANCHORS = {
    "mobility": (510, 240, 160, 30),
    "potential mobility": (-60, -20, 60, 45),
    "corners": (0, 100, 50, 0),
    "X-squares": (0, -310, -165, -50),
    "C-squares": (0, -180, -55, 0),
    "stable edge": (50, 170, 290, 100),
    "parity": (110, 90, 120, 85),
    "discs": (60, -45, -75, 20),
}
TERMS = tuple(ANCHORS)

NOT_A = cython.declare(cython.ulonglong, 0xFEFEFEFEFEFEFEFE)
NOT_H = cython.declare(cython.ulonglong, 0x7F7F7F7F7F7F7F7F)
CORNERS = cython.declare(cython.ulonglong, 0x8100000000000081)

WEIGHTS = cython.declare(cython.int[520])  # eight terms for each number of empty squares, 0 to 64
# Stable discs of an edge, own minus opponent's, indexed by own discs * 256 + opponent's discs.
EDGE_BALANCE = cython.declare(cython.schar[65536])


@cython.cfunc
def prepare_edges() -> None:
    """Fill :data:`EDGE_BALANCE`."""
    own: cython.int
    opp: cython.int
    for own in range(256):
        for opp in range(256):
            if own & opp == 0:
                EDGE_BALANCE[own << 8 | opp] = popcount(edge_stable(own, opp)) - popcount(edge_stable(opp, own))


@cython.cfunc
def prepare_weights() -> None:
    """Fill :data:`WEIGHTS` by linear interpolation between the four anchors of each term."""
    for term, anchors in enumerate(ANCHORS.values()):
        for left in range(65):
            upper = min(max(left, 0), 59) // 20
            share = left - 20 * upper
            WEIGHTS[8 * left + term] = (anchors[upper + 1] * share + anchors[upper] * (20 - share)) // 20


prepare_edges()
prepare_weights()


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def edges(own: cython.ulonglong, opp: cython.ulonglong) -> cython.int:
    """Return the difference in stable edge discs, own minus opponent's. A corner counts on both of its edges."""
    top: cython.int = EDGE_BALANCE[(own & 255) << 8 | opp & 255]
    bottom: cython.int = EDGE_BALANCE[own >> 56 << 8 | opp >> 56]
    left: cython.int = EDGE_BALANCE[column_of(own, 0) << 8 | column_of(opp, 0)]
    right: cython.int = EDGE_BALANCE[column_of(own, 7) << 8 | column_of(opp, 7)]
    return top + bottom + left + right


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def beside(squares: cython.ulonglong, free: cython.ulonglong) -> cython.int:
    """Return the number of ``squares`` that are horizontally or vertically adjacent to a corner in ``free``."""
    return popcount(squares & (free << 1 & NOT_A | free >> 1 & NOT_H | free << 8 | free >> 8))


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def features(own: cython.ulonglong, opp: cython.ulonglong, values: cython.p_int) -> cython.int:
    """Write the eight differences in the order of :data:`TERMS`, and return the number of empty squares."""
    vacant: cython.ulonglong = ~(own | opp)
    left: cython.int = popcount(vacant)
    free: cython.ulonglong = vacant & CORNERS
    inner: cython.ulonglong = (free & 1) << 9 | (free & 0x80) << 7 | (free >> 56 & 1) << 49 | (free >> 63) << 54
    values[0] = popcount(mobility(own, opp)) - popcount(mobility(opp, own))
    values[1] = popcount(near(opp) & vacant) - popcount(near(own) & vacant)
    values[2] = popcount(own & CORNERS) - popcount(opp & CORNERS)
    values[3] = popcount(own & inner) - popcount(opp & inner)
    values[4] = beside(own, free) - beside(opp, free)
    values[5] = edges(own, opp)
    values[6] = (left & 1) * 2 - 1
    values[7] = popcount(own) - popcount(opp)
    return left


class Classic(Evaluator):
    """The classic evaluator, which computes each value from the board alone."""

    def value(self, own: cython.ulonglong, opp: cython.ulonglong) -> cython.int:
        values = cython.declare(cython.int[8])
        left: cython.int = features(own, opp, values)
        if left == 0 or mobility(own, opp) | mobility(opp, own) == 0:
            return 100 * final_discs(own, opp, left)
        row: cython.int = 8 * left
        score: cython.int = 0
        term: cython.int
        for term in range(8):
            score += WEIGHTS[row + term] * values[term]
        return max(-6300, min(6300, score))

    def terms(self, own: int, opp: int) -> list[tuple[str, int]]:
        values = cython.declare(cython.int[8])
        row: cython.int = 8 * features(own, opp, values)
        return [(TERMS[term], WEIGHTS[row + term] * values[term]) for term in range(8)]
