"""The network evaluation: patterns select rows of numbers, and a small network processes the sum of the rows.

Each of 48 pattern places selects a row of 64 numbers by its discs; the rows for both mobilities and for the number of
empty squares are added. The sums, clamped between 0 and 1, are multiplied in pairs; the 32 products feed the output
directly and through 16 units, whose weights depend on the number of empty squares. Rows are shared by all stages of the
game and by the symmetric images of a pattern. Small networks over sums of learnt rows are used in computer shogi and
chess (Nasu 2018, "Efficiently updatable neural-network-based evaluation functions for computer shogi"). Patterns are
described in :mod:`~quietmove.engine.games.othello.evaluators.patterns`; only their indices are updated incrementally.
"""

from __future__ import annotations

import cython
from cython.cimports.quietmove.engine.games.othello.bits_header import final_discs, mobility, popcount
from cython.cimports.quietmove.engine.games.othello.evaluators.network_header import output
from cython.cimports.quietmove.engine.games.othello.evaluators.network_weights import (
    INTS,
    MOBILITIES,
    SHORTS,
    STAGES,
    SUMS,
)
from cython.cimports.quietmove.engine.games.othello.evaluators.pattern_evaluator import PLACES

from quietmove.engine.games.othello.evaluators.network_weights import network_of, shipped_network
from quietmove.engine.games.othello.evaluators.pattern_evaluator import PatternEvaluator, Places
from quietmove.engine.games.othello.evaluators.patterns import NETWORK

ON_BOARD: Places = Places(NETWORK)


class Network(PatternEvaluator):
    """The network evaluator.

    :param path: a weights file, or "" for the shipped weights, which are loaded on first use.
    :raises WeightsError: if the file does not exist or is invalid.
    """

    def __init__(self, path: str = "") -> None:
        self.weights = network_of(path) if path else shipped_network()
        PatternEvaluator.__init__(self, ON_BOARD, self.weights)

    def value(self, own: cython.ulonglong, opp: cython.ulonglong) -> cython.int:
        left: cython.int = popcount(~(own | opp))
        mine: cython.int = popcount(mobility(own, opp))
        theirs: cython.int = popcount(mobility(opp, own))
        if mine + theirs == 0:
            return 100 * final_discs(own, opp, left)
        if not self.weights.ready:
            self.weights.load()
            if not self.weights.ready:
                return 0
        stage: cython.int = min(left, STAGES - 1)
        mine = STAGES + min(mine, MOBILITIES - 1)
        theirs = STAGES + MOBILITIES + min(theirs, MOBILITIES - 1)
        start: cython.int = PLACES * self.ply
        sign: cython.int = -1 if self.ply & 1 else 1
        total: cython.longlong = output(
            cython.address(self.indices[start]),
            self.weights.rows,
            self.places.middles,
            sign,
            self.weights.firsts + SUMS * stage,
            self.weights.firsts + SUMS * mine,
            self.weights.firsts + SUMS * theirs,
            self.weights.shorts + SHORTS * stage,
            self.weights.ints + INTS * stage,
        )
        return max(-6300, min(6300, cython.cast(cython.int, total * 1000 >> 22)))

    def terms(self, own: int, opp: int) -> list[tuple[str, int]]:
        other = Network()
        other.weights = self.weights
        other.reset(own, opp)
        return [("network", other.value(own, opp))]
