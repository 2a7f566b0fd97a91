"""The base of the pattern-based evaluators, which updates the indices of the patterns after each move."""

from __future__ import annotations

import cython
from cython.cimports.quietmove.engine.games.othello.bits_header import lowest_square
from cython.cimports.quietmove.engine.games.othello.evaluators.pattern_evaluator import PLACES
from cython.cimports.quietmove.engine.games.othello.evaluators.patterns_header import change_indices

from quietmove.engine.games.othello.evaluators.evaluator import Evaluator
from quietmove.engine.games.othello.evaluators.network_weights import NetworkWeights
from quietmove.engine.games.othello.evaluators.patterns import WIDTH, PatternSet


class Places:
    """A pattern set as C arrays, padded to 64 places. The padding has no squares.

    :ivar values: the index increment of a disc in each place, a row for each square.
    :ivar middles: for each place, the number of its row for index 0, counted from the first pattern's first row.
    :ivar count: number of places in the set.
    """

    values: list[int]
    middles: list[int]

    def __init__(self, patterns: PatternSet) -> None:
        assert WIDTH == PLACES
        self.count = len(patterns.places)
        for i, value in enumerate(patterns.square_values()):
            self.values[i] = value
        for place, middle in enumerate(patterns.middles()):
            self.middles[place] = middle


class PatternEvaluator(Evaluator):
    """An evaluator that follows the moves. Each position's indices are stored after the previous position's.

    Discs of the player who was to move at the reset count as positive.

    :param file: the weights, which are loaded on first use.
    """

    indices: list[int]

    def __init__(self, places: Places, file: NetworkWeights) -> None:
        self.incremental = True
        self.places = places
        self.file = file
        self.ply = 0

    def get_ready(self) -> None:
        self.file.unpack()

    def check(self) -> None:
        self.file.check()

    def reset(self, own: cython.ulonglong, opp: cython.ulonglong) -> None:
        place: cython.int
        self.ply = 0
        for place in range(PLACES):
            self.indices[place] = 0
        self.place_discs(own, 1)
        self.place_discs(opp, -1)

    def place_discs(self, squares: cython.ulonglong, sign: cython.int) -> None:
        """Add the discs on ``squares``, counted as ``sign``, to the initial indices."""
        place: cython.int
        row: cython.int
        while squares:
            row = PLACES * lowest_square(squares)
            squares &= squares - 1
            for place in range(PLACES):
                self.indices[place] += sign * self.places.values[row + place]

    def make(self, move: cython.int, turned: cython.ulonglong) -> None:
        start: cython.int = PLACES * self.ply
        place: cython.int
        if turned:
            sign: cython.int = -1 if self.ply & 1 else 1
            change_indices(self.indices, start, self.places.values, move, turned, sign, self.places.count)
        else:
            for place in range(PLACES):
                self.indices[start + PLACES + place] = self.indices[start + place]
        self.ply += 1

    def unmake(self) -> None:
        self.ply -= 1
