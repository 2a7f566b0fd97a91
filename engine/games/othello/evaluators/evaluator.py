"""What an evaluator of Othello is: the contract that each file of this folder implements.

An evaluator that computes each value from the board alone overrides :meth:`Evaluator.value`, and the position spares it
the rest. One that keeps sums from move to move says that it is ``incremental`` and is told each move.
"""

from __future__ import annotations

import cython


class Evaluator:
    """Judges the positions of one game, one after another; each position object has an evaluator of its own.

    The squares are 64-bit sets, a1 the lowest bit; ``own`` are the discs of the side to move.

    :ivar incremental: whether :meth:`reset`, :meth:`make` and :meth:`unmake` are to be called.
    """

    def __init__(self) -> None:
        self.incremental = False

    def get_ready(self) -> None:
        """Load now what would else be loaded when it is first needed."""

    def check(self) -> None:
        """Raise what went wrong in the other methods since the last call; they cannot raise anything themselves."""

    def reset(self, own: cython.ulonglong, opp: cython.ulonglong) -> None:
        """Begin anew at this board."""

    def make(self, move: cython.int, turned: cython.ulonglong) -> None:
        """Follow a move of the side to move: a square that turns the discs ``turned``, or a pass, which turns none."""

    def unmake(self) -> None:
        """Take back the last move that was made since the reset."""

    def value(self, own: cython.ulonglong, opp: cython.ulonglong) -> cython.int:
        """Return the estimate for the board reached, in hundredths of a disc from the view of ``own``.

        A game that is over has its final value; no estimate of another reaches the value of a wiped-out board.
        """
        return 0

    def terms(self, own: int, opp: int) -> list[tuple[str, int]]:
        """Return the terms of the estimate for a board by name, in hundredths of a disc; their sum is the estimate."""
        raise NotImplementedError
