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
from cython.cimports.quietmove.engine.games.othello.bits_header import final_discs, lowest_square, mobility, popcount
from cython.cimports.quietmove.engine.games.othello.evaluators.network import PLACES
from cython.cimports.quietmove.engine.games.othello.evaluators.network_header import output
from cython.cimports.quietmove.engine.games.othello.evaluators.network_weights import (
    INTS,
    MOBILITIES,
    SHORTS,
    STAGES,
    SUMS,
)
from cython.cimports.quietmove.engine.games.othello.evaluators.patterns_header import change_indices

from quietmove.engine.games.othello.evaluators.evaluator import Evaluator
from quietmove.engine.games.othello.evaluators.network_weights import network_of, shipped_network
from quietmove.engine.games.othello.evaluators.patterns import NETWORK

# The change of the indices by a disc, a row of PLACES numbers for each square.
CHANGES = cython.declare(cython.short[3072])
# For each place, the number of its row for index 0, counted from the first pattern's first row.
MIDDLES = cython.declare(cython.int[48])


@cython.cfunc
def prepare_places() -> None:
    """Copy the tables of the patterns into the C arrays above."""
    for i, value in enumerate(NETWORK.square_values()):
        CHANGES[i] = value
    for place, middle in enumerate(NETWORK.middles()):
        MIDDLES[place] = middle


prepare_places()


class Network(Evaluator):
    """The network evaluator, which updates the indices of the patterns after each move.

    The indices of each position are stored after those of the previous one. Discs of the player who was to move at the
    reset count as positive.

    :param path: a weights file, or "" for the shipped weights, which are loaded on first use.
    :raises WeightsError: if the file does not exist or is invalid.
    """

    indices: list[int]

    def __init__(self, path: str = "") -> None:
        self.incremental = True
        self.weights = network_of(path) if path else shipped_network()
        self.ply = 0

    def get_ready(self) -> None:
        self.weights.unpack()

    def check(self) -> None:
        self.weights.check()

    def reset(self, own: cython.ulonglong, opp: cython.ulonglong) -> None:
        place: cython.int
        self.ply = 0
        for place in range(PLACES):
            self.indices[place] = 0
        self.place_discs(own, 1)
        self.place_discs(opp, -1)

    def place_discs(self, squares: cython.ulonglong, sign: cython.int) -> None:
        """Add the discs on ``squares`` to the initial indices if ``sign`` is 1, or subtract them if it is -1."""
        place: cython.int
        row: cython.int
        while squares:
            row = PLACES * lowest_square(squares)
            squares &= squares - 1
            for place in range(PLACES):
                self.indices[place] += sign * CHANGES[row + place]

    def make(self, move: cython.int, turned: cython.ulonglong) -> None:
        start: cython.int = PLACES * self.ply
        place: cython.int
        if turned:
            change_indices(self.indices, start, CHANGES, move, turned, -1 if self.ply & 1 else 1)
        else:
            for place in range(PLACES):
                self.indices[start + PLACES + place] = self.indices[start + place]
        self.ply += 1

    def unmake(self) -> None:
        self.ply -= 1

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
            MIDDLES,
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
