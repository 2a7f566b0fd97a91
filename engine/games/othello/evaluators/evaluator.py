"""The interface of an Othello evaluator, which each module in this package implements.

An evaluator that computes values from the board alone needs to override only :meth:`Evaluator.value`. An evaluator that
updates its sums incrementally sets ``incremental``, and is then notified of each move.
"""

from __future__ import annotations

import cython


class Evaluator:
    """An evaluator for the successive positions of one game. Each position object has its own.

    Boards are 64-bit sets, a1 in the lowest bit; ``own`` are the discs of the side to move.

    :ivar incremental: whether to call :meth:`reset`, :meth:`make` and :meth:`unmake`.
    """

    def __init__(self) -> None:
        self.incremental = False

    def get_ready(self) -> None:
        """Load everything that would otherwise be loaded on first use."""

    def check(self) -> None:
        """Raise the first error in a C-level method since the last check. C-level methods cannot raise errors."""

    def reset(self, own: cython.ulonglong, opp: cython.ulonglong) -> None:
        """Restart from this board."""

    def make(self, move: cython.int, turned: cython.ulonglong) -> None:
        """Follow a move: a square that flips the discs ``turned``, or a pass, which flips none."""

    def unmake(self) -> None:
        """Take back the last move."""

    def value(self, own: cython.ulonglong, opp: cython.ulonglong) -> cython.int:
        """Return the evaluation of the current board, in hundredths of a disc, from the point of view of ``own``.

        The value of a finished game is exact; all other values are closer to 0 than the value of a wipeout.
        """
        return 0

    def terms(self, own: int, opp: int) -> list[tuple[str, int]]:
        """Return the names and values of a board's evaluation terms, in hundredths of a disc. They sum to the value."""
        raise NotImplementedError
