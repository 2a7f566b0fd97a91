"""The evaluation of small boards: four terms, each a difference between the two sides.

The terms are legal moves, corners, and the squares next to an empty corner, which open it to the opponent. The weights
are rounded from a least-squares fit to the exact values of 3000 positions on 6x6 boards with 9 to 21 empty squares;
potential mobility, discs and parity did not improve it.
"""

from __future__ import annotations

import cython
from cython.cimports.quietmove.engine.games.othello.bits_header import final_discs, mobility, near, popcount

from quietmove.engine.games.othello.evaluators.evaluator import Evaluator
from quietmove.engine.games.othello.shape import board_squares, square_groups

# The weights, in hundredths of a disc.
MOVE = cython.declare(cython.int, 200)
CORNER = cython.declare(cython.int, 1050)
X_SQUARE = cython.declare(cython.int, -420)
C_SQUARE = cython.declare(cython.int, -320)


class Mobility(Evaluator):
    """The evaluator for a small board of the given ``size``, which computes each value from the board alone."""

    def __init__(self, size: int) -> None:
        super().__init__()
        self.board = board_squares(size)
        groups = square_groups(size)
        self.corners, self.c_squares, self.x_squares = groups[0], groups[4], groups[5]
        self.largest = 100 * size * size - 100

    def value(self, own: cython.ulonglong, opp: cython.ulonglong) -> cython.int:
        if (mobility(own, opp) | mobility(opp, own)) & self.board == 0:
            return 100 * final_discs(own, opp, popcount(self.board & ~(own | opp)))
        score: cython.int = self.moves_term(own, opp) + self.corners_term(own, opp)
        score += self.x_squares_term(own, opp) + self.c_squares_term(own, opp)
        return max(-self.largest, min(self.largest, score))

    def moves_term(self, own: cython.ulonglong, opp: cython.ulonglong) -> cython.int:
        """Return the term for legal moves."""
        return MOVE * (popcount(mobility(own, opp) & self.board) - popcount(mobility(opp, own) & self.board))

    def corners_term(self, own: cython.ulonglong, opp: cython.ulonglong) -> cython.int:
        """Return the term for corners."""
        return CORNER * (popcount(own & self.corners) - popcount(opp & self.corners))

    def x_squares_term(self, own: cython.ulonglong, opp: cython.ulonglong) -> cython.int:
        """Return the X-square term: the weighted difference of discs diagonally next to empty corners."""
        beside: cython.ulonglong = near(self.corners & ~(own | opp)) & self.x_squares
        return X_SQUARE * (popcount(own & beside) - popcount(opp & beside))

    def c_squares_term(self, own: cython.ulonglong, opp: cython.ulonglong) -> cython.int:
        """Return the C-square term: the weighted difference of discs next to empty corners on an edge."""
        beside: cython.ulonglong = near(self.corners & ~(own | opp)) & self.c_squares
        return C_SQUARE * (popcount(own & beside) - popcount(opp & beside))

    def terms(self, own: int, opp: int) -> list[tuple[str, int]]:
        terms: list[tuple[str, int]] = [
            ("mobility", self.moves_term(own, opp)),
            ("corners", self.corners_term(own, opp)),
            ("X-squares", self.x_squares_term(own, opp)),
            ("C-squares", self.c_squares_term(own, opp)),
        ]
        value: cython.int = self.value(own, opp)
        return [*terms, ("limit", value - sum(each for _, each in terms))]
