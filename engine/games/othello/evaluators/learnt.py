"""The learnt evaluation: the sum of the weights that a position's patterns and mobilities choose.

The weights follow from games (:mod:`quietmove.engine.tools.training`); ``weights.md`` says how those of this package
were made. The indices of the patterns are kept from move to move
(:mod:`~quietmove.engine.games.othello.evaluators.patterns`).
"""

from __future__ import annotations

import cython

if cython.compiled:
    from cython.cimports.quietmove.engine.games.othello.bits_header import (
        final_discs,
        lowest_square,
        mobility,
        near,
        popcount,
    )
    from cython.cimports.quietmove.engine.games.othello.evaluators.patterns_header import change_indices, sum_weights
    from cython.cimports.quietmove.engine.games.othello.evaluators.weights import MOBILITY, POTENTIAL, phase_of
else:
    from quietmove.engine.games.othello.bits import final_discs, lowest_square, mobility, near, popcount
    from quietmove.engine.games.othello.evaluators.evaluator import STACK
    from quietmove.engine.games.othello.evaluators.weights import MOBILITY, POTENTIAL, phase_of

from quietmove.engine.games.othello.evaluators.evaluator import Evaluator
from quietmove.engine.games.othello.evaluators.patterns import LEARNT
from quietmove.engine.games.othello.evaluators.weights import PHASE_SIZE, shipped_weights, weights_of

__all__ = ["Learnt"]

if not cython.compiled:  # learnt.pxd has them as C constants, patterns.h as functions
    PLACES = 64

    def change_indices(indices: list[int], start: int, values: list[int], placed: int, turned: int, sign: int) -> None:
        """Write the indices behind those at ``start``, which a disc on ``placed`` and the ``turned`` ones change."""
        after = indices[start : start + PLACES]
        for square in range(64):
            factor = sign if square == placed else 2 * sign if turned >> square & 1 else 0
            for place in range(PLACES if factor else 0):
                after[place] += factor * values[PLACES * square + place]
        indices[start + PLACES : start + 2 * PLACES] = after

    def sum_weights(
        indices: list[int], start: int, weights: memoryview, first: int, middles: list[int], sign: int
    ) -> int:
        """Return the sum of the weights that the indices at ``start`` choose."""
        return sum(weights[first + middles[place] + sign * indices[start + place]] for place in range(PLACES))


FULL = cython.declare(cython.ulonglong, 0xFFFFFFFFFFFFFFFF)

OTHERS = ("mobility", "potential mobility", "empty squares")  # terms that are no patterns
PATTERN_WEIGHTS = cython.declare(cython.int, LEARNT.size)
WEIGHTS_OF_PHASE = cython.declare(cython.int, PHASE_SIZE)
VALUES = cython.declare(cython.short[4096])  # what a disc on a square counts in each place, a row for each square
MIDDLES = cython.declare(cython.int[64])  # of each place, where in a phase the weight of index 0 stands


@cython.cfunc
def prepare_places() -> None:
    """Fill :data:`VALUES` and :data:`MIDDLES`."""
    for i, value in enumerate(LEARNT.square_values()):
        VALUES[i] = value
    for place, middle in enumerate(LEARNT.middles()):
        MIDDLES[place] = middle


prepare_places()


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def mobility_index(mine: cython.int, theirs: cython.int) -> cython.int:
    """Return where in a phase the weight of the two mobilities stands."""
    return PATTERN_WEIGHTS + min(mine, MOBILITY - 1) * MOBILITY + min(theirs, MOBILITY - 1)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def potential_index(own: cython.ulonglong, opp: cython.ulonglong, vacant: cython.ulonglong) -> cython.int:
    """Return where in a phase the weight of the two potential mobilities stands: empty squares beside discs."""
    mine: cython.int = min(popcount(near(opp) & vacant), POTENTIAL - 1)
    theirs: cython.int = min(popcount(near(own) & vacant), POTENTIAL - 1)
    return PATTERN_WEIGHTS + MOBILITY * MOBILITY + mine * POTENTIAL + theirs


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def empties_index(left: cython.int) -> cython.int:
    """Return where in a phase the weight of the number of empty squares stands."""
    return PATTERN_WEIGHTS + MOBILITY * MOBILITY + POTENTIAL * POTENTIAL + min(left, 60)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def hundredths(total: cython.int) -> cython.int:
    """Return a sum of weights, 1/128 disc each, in hundredths of a disc, rounded down."""
    return total * 25 >> 5


class Learnt(Evaluator):
    """The evaluator.

    :param path: a file of weights; those of this package, read when the first of them is needed, where it is empty.
    :raises WeightsError: if there is no such file, or it is not what it must be.
    """

    def __init__(self, path: str = "") -> None:
        if not cython.compiled:
            self.indices = [0] * (STACK * PLACES)
        self.incremental = True
        self.weights = weights_of(path) if path else shipped_weights()
        self.ply = 0

    def get_ready(self) -> None:
        """Decompress the weights of every phase.

        :raises WeightsError: as :meth:`Weights.unpack_all`.
        """
        self.weights.unpack_all()

    def check(self) -> None:
        """Raise why weights could not be read since the last call, if they could not."""
        self.weights.check()

    def reset(self, own: cython.ulonglong, opp: cython.ulonglong) -> None:
        """Compute the indices of the board; the discs of the side to move count plus."""
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
                self.indices[place] += sign * VALUES[row + place]

    def make(self, move: cython.int, turned: cython.ulonglong) -> None:
        """Write the indices after the move behind those before it; a pass changes none."""
        start: cython.int = PLACES * self.ply
        place: cython.int
        if turned:
            change_indices(self.indices, start, VALUES, move, turned, -1 if self.ply & 1 else 1)
        else:
            for place in range(PLACES):
                self.indices[start + PLACES + place] = self.indices[start + place]
        self.ply += 1

    def unmake(self) -> None:
        """Go back to the indices before."""
        self.ply -= 1

    def value(self, own: cython.ulonglong, opp: cython.ulonglong) -> cython.int:
        """Return the sum of all weights."""
        vacant: cython.ulonglong = ~(own | opp) & FULL
        left: cython.int = popcount(vacant)
        mine: cython.int = popcount(mobility(own, opp))
        theirs: cython.int = popcount(mobility(opp, own))
        if mine + theirs == 0:
            return 100 * final_discs(own, opp, left)
        phase: cython.int = phase_of(left)
        if not self.weights.ready[phase]:
            self.weights.load(phase)
            if not self.weights.ready[phase]:
                return 0
        first: cython.int = phase * WEIGHTS_OF_PHASE
        total: cython.int = sum_weights(
            self.indices, PLACES * self.ply, self.weights.values, first, MIDDLES, -1 if self.ply & 1 else 1
        )
        total += self.weights.values[first + mobility_index(mine, theirs)]
        total += self.weights.values[first + potential_index(own, opp, vacant)]
        total += self.weights.values[first + empties_index(left)]
        return max(-6300, min(6300, hundredths(total)))

    def features(self, own: cython.ulonglong, opp: cython.ulonglong, found: cython.p_int) -> None:
        """Write which weights of its phase a board chooses: 64 of the patterns and three others; it is a new reset."""
        place: cython.int
        vacant: cython.ulonglong = ~(own | opp) & FULL
        self.reset(own, opp)
        for place in range(PLACES):
            found[place] = MIDDLES[place] + self.indices[place]
        found[PLACES] = mobility_index(popcount(mobility(own, opp)), popcount(mobility(opp, own)))
        found[PLACES + 1] = potential_index(own, opp, vacant)
        found[PLACES + 2] = empties_index(popcount(vacant))

    def terms(self, own: int, opp: int) -> list[tuple[str, int]]:
        """Return the share of each pattern, of both mobilities and of the number of empty squares.

        The shares are rounded so that their sum is the rounded sum.
        """
        found = cython.declare(cython.int[67])
        other = Learnt()
        other.features(own, opp, found)
        weights = self.weights.phase(phase_of(64 - (own | opp).bit_count()))
        names = list(LEARNT.patterns)
        sums = dict.fromkeys([*names, *OTHERS], 0)
        for i, name in enumerate([*(names[pattern] for pattern, _ in LEARNT.places), *OTHERS]):
            sums[name] += weights[found[i]]
        total, shares = 0, []
        for name, share in sums.items():
            shares.append((name, hundredths(total + share) - hundredths(total)))
            total += share
        return shares
