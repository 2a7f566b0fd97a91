"""What the evaluations by patterns have in common: the indices of the places, kept from move to move."""

from __future__ import annotations

import cython

if cython.compiled:
    from cython.cimports.quietmove.engine.games.othello.bits_header import lowest_square
    from cython.cimports.quietmove.engine.games.othello.evaluators.patterns_header import change_indices
else:
    from quietmove.engine.games.othello.bits import lowest_square
    from quietmove.engine.games.othello.evaluators.evaluator import STACK

from quietmove.engine.games.othello.evaluators.evaluator import Evaluator
from quietmove.engine.games.othello.evaluators.patterns import WIDTH, PatternSet

__all__ = ["PatternEvaluator", "Places"]

if not cython.compiled:  # pattern_evaluator.pxd has it as a C constant, patterns.h the function
    PLACES = 64

    def change_indices(
        indices: list[int], start: int, values: list[int], placed: int, turned: int, sign: int, places: int
    ) -> None:
        """Write the indices behind those at ``start``, which a disc on ``placed`` and the ``turned`` ones change."""
        after = indices[start : start + PLACES]
        for square in range(64):
            factor = sign if square == placed else 2 * sign if turned >> square & 1 else 0
            for place in range(places if factor else 0):
                after[place] += factor * values[PLACES * square + place]
        indices[start + PLACES : start + 2 * PLACES] = after


class Places:
    """The places of a set of patterns as arrays of C: 64, of which the last have no squares if the set has fewer.

    :ivar values: what a disc on a square counts in each place, a row for each square.
    :ivar middles: of each place, where its row of index 0 stands, counted from the first of the first pattern.
    :ivar count: how many places the set has.
    """

    def __init__(self, patterns: PatternSet) -> None:
        assert WIDTH == PLACES
        self.count = len(patterns.places)
        if not cython.compiled:
            self.values = [0] * (64 * PLACES)
            self.middles = [0] * PLACES
        for i, value in enumerate(patterns.square_values()):
            self.values[i] = value
        for place, middle in enumerate(patterns.middles()):
            self.middles[place] = middle


class PatternEvaluator(Evaluator):
    """An evaluator that follows the moves: the indices of each position of the game lie behind those of the one before.

    The discs of the player who was to move at the reset count plus.
    """

    def __init__(self, places: Places) -> None:
        if not cython.compiled:
            self.indices = [0] * (STACK * PLACES)
        self.incremental = True
        self.places = places
        self.ply = 0

    def reset(self, own: cython.ulonglong, opp: cython.ulonglong) -> None:
        """Compute the indices of the board."""
        place: cython.int
        self.ply = 0
        for place in range(PLACES):
            self.indices[place] = 0
        self.place_discs(own, 1)
        self.place_discs(opp, -1)

    def place_discs(self, squares: cython.ulonglong, sign: cython.int) -> None:
        """Add discs to the first indices."""
        place: cython.int
        row: cython.int
        while squares:
            row = PLACES * lowest_square(squares)
            squares &= squares - 1
            for place in range(PLACES):
                self.indices[place] += sign * self.places.values[row + place]

    def make(self, move: cython.int, turned: cython.ulonglong) -> None:
        """Write the indices after the move behind those before it; a pass changes none."""
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
        """Go back to the indices before."""
        self.ply -= 1
