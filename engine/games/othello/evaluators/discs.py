"""The beginner's evaluation of Othello: the difference in discs.

It is known to be misleading until the last moves (Rosenbloom 1982), as a match against ``classic`` shows.
"""

from __future__ import annotations

import cython
from cython.cimports.quietmove.engine.games.othello.bits_header import final_discs, mobility, popcount

from quietmove.engine.games.othello.evaluators.evaluator import Evaluator


class Discs(Evaluator):
    """The disc-count evaluator, which updates the difference incrementally."""

    balance: list[int]

    def __init__(self) -> None:
        self.incremental = True
        self.ply = 0

    def reset(self, own: cython.ulonglong, opp: cython.ulonglong) -> None:
        self.ply = 0
        self.balance[0] = popcount(own) - popcount(opp)

    def make(self, move: cython.int, turned: cython.ulonglong) -> None:
        gained: cython.int = 2 * popcount(turned) + 1 if turned else 0
        self.balance[self.ply + 1] = -(self.balance[self.ply] + gained)
        self.ply += 1

    def unmake(self) -> None:
        self.ply -= 1

    def value(self, own: cython.ulonglong, opp: cython.ulonglong) -> cython.int:
        if mobility(own, opp) | mobility(opp, own) == 0:
            return 100 * final_discs(own, opp, 64 - popcount(own | opp))
        return 100 * self.balance[self.ply]

    def terms(self, own: int, opp: int) -> list[tuple[str, int]]:
        return [("discs", 100 * (own.bit_count() - opp.bit_count()))]
