"""The evaluation of the small boards: three terms, each a difference between the two sides.

Moves at hand, empty squares beside the opponent's discs (potential mobility) and corners, as in the large board's
``classic``; few discs matter on a board that a search soon sees the end of.
"""

from __future__ import annotations

import cython

from quietmove.engine.games.othello.evaluators.evaluator import Evaluator
from quietmove.engine.games.othello.shape import board_squares, square_groups

if cython.compiled:
    from cython.cimports.quietmove.engine.games.othello.bits_header import final_discs, mobility, near, popcount
else:
    from quietmove.engine.games.othello.bits import final_discs, mobility, near, popcount

__all__ = ["Mobility"]

# The weights, in hundredths of a disc.
MOVE = cython.declare(cython.int, 150)
OPEN_SQUARE = cython.declare(cython.int, 50)
CORNER = cython.declare(cython.int, 400)


class Mobility(Evaluator):
    """The evaluator; it computes each value from the board alone.

    :param size: of the board, squares a side.
    """

    def __init__(self, size: int) -> None:
        super().__init__()
        self.board = board_squares(size)
        self.corners = square_groups(size)[0]
        self.largest = 100 * size * size - 100

    def value(self, own: cython.ulonglong, opp: cython.ulonglong) -> cython.int:
        """Return the sum of the terms."""
        if (mobility(own, opp) | mobility(opp, own)) & self.board == 0:
            return 100 * final_discs(own, opp, popcount(self.board & ~(own | opp)))
        score: cython.int = self.moves_term(own, opp) + self.open_term(own, opp) + self.corner_term(own, opp)
        return max(-self.largest, min(self.largest, score))

    def moves_term(self, own: cython.ulonglong, opp: cython.ulonglong) -> cython.int:
        """Return what the moves at hand count."""
        return MOVE * (popcount(mobility(own, opp) & self.board) - popcount(mobility(opp, own) & self.board))

    def open_term(self, own: cython.ulonglong, opp: cython.ulonglong) -> cython.int:
        """Return what the empty squares beside the discs count."""
        vacant: cython.ulonglong = self.board & ~(own | opp)
        return OPEN_SQUARE * (popcount(near(opp) & vacant) - popcount(near(own) & vacant))

    def corner_term(self, own: cython.ulonglong, opp: cython.ulonglong) -> cython.int:
        """Return what the corners count."""
        return CORNER * (popcount(own & self.corners) - popcount(opp & self.corners))

    def terms(self, own: int, opp: int) -> list[tuple[str, int]]:
        """Return each term."""
        return [
            ("mobility", self.moves_term(own, opp)),
            ("potential mobility", self.open_term(own, opp)),
            ("corners", self.corner_term(own, opp)),
        ]
