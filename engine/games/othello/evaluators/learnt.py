"""The learnt evaluation: the sum of the weights for a position's patterns, mobilities and number of empty squares.

The weights are fitted to games (:mod:`quietmove.addons.train`); ``weights.md`` documents how the weights in this
package were made. The indices of the patterns are updated incrementally
(:mod:`~quietmove.engine.games.othello.evaluators.patterns`).
"""

from __future__ import annotations

import cython
from cython.cimports.quietmove.engine.games.othello.bits_header import final_discs, mobility, near, popcount
from cython.cimports.quietmove.engine.games.othello.evaluators.pattern_evaluator import PLACES
from cython.cimports.quietmove.engine.games.othello.evaluators.patterns_header import sum_weights
from cython.cimports.quietmove.engine.games.othello.evaluators.weights import MOBILITY, POTENTIAL, phase_of

from quietmove.engine.games.othello.evaluators.pattern_evaluator import PatternEvaluator, Places
from quietmove.engine.games.othello.evaluators.patterns import LEARNT
from quietmove.engine.games.othello.evaluators.weights import PHASE_SIZE, Weights, shipped_weights
from quietmove.engine.games.othello.evaluators.weights_file import weights_of

OTHERS = ("mobility", "potential mobility", "empty squares")  # terms other than patterns
PATTERN_WEIGHTS = cython.declare(cython.int, LEARNT.size)
WEIGHTS_OF_PHASE = cython.declare(cython.int, PHASE_SIZE)
ON_BOARD: Places = Places(LEARNT)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def mobility_index(mine: cython.int, theirs: cython.int) -> cython.int:
    """Return the index, within a phase, of the weight for the two mobilities."""
    return PATTERN_WEIGHTS + min(mine, MOBILITY - 1) * MOBILITY + min(theirs, MOBILITY - 1)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def potential_index(own: cython.ulonglong, opp: cython.ulonglong, vacant: cython.ulonglong) -> cython.int:
    """Return the index, within a phase, of the weight for both potential mobilities (empty squares next to discs)."""
    mine: cython.int = min(popcount(near(opp) & vacant), POTENTIAL - 1)
    theirs: cython.int = min(popcount(near(own) & vacant), POTENTIAL - 1)
    return PATTERN_WEIGHTS + MOBILITY * MOBILITY + mine * POTENTIAL + theirs


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def empties_index(left: cython.int) -> cython.int:
    """Return the index, within a phase, of the weight for the number of empty squares."""
    return PATTERN_WEIGHTS + MOBILITY * MOBILITY + POTENTIAL * POTENTIAL + min(left, 60)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def hundredths(total: cython.int) -> cython.int:
    """Convert a sum of weights, in units of 1/128 disc, to hundredths of a disc, rounded down."""
    return total * 25 >> 5


class Learnt(PatternEvaluator):
    """The learnt evaluator.

    :param path: a weights file, or "" for the shipped weights, which are loaded on first use.
    :raises WeightsError: if the file does not exist or is invalid.
    """

    def __init__(self, path: str = "") -> None:
        self.weights = weights_of(Weights, path) if path else shipped_weights()
        PatternEvaluator.__init__(self, ON_BOARD, self.weights)

    def value(self, own: cython.ulonglong, opp: cython.ulonglong) -> cython.int:
        vacant: cython.ulonglong = ~(own | opp)
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
            self.indices,
            PLACES * self.ply,
            self.weights.values,
            first,
            self.places.middles,
            -1 if self.ply & 1 else 1,
        )
        total += self.weights.values[first + mobility_index(mine, theirs)]
        total += self.weights.values[first + potential_index(own, opp, vacant)]
        total += self.weights.values[first + empties_index(left)]
        return max(-6300, min(6300, hundredths(total)))

    def features(self, own: cython.ulonglong, opp: cython.ulonglong, found: cython.p_int) -> None:
        """Reset the evaluator to a board, and write its 67 weight indices, relative to its phase, to ``found``."""
        place: cython.int
        vacant: cython.ulonglong = ~(own | opp)
        self.reset(own, opp)
        for place in range(PLACES):
            found[place] = self.places.middles[place] + self.indices[place]
        found[PLACES] = mobility_index(popcount(mobility(own, opp)), popcount(mobility(opp, own)))
        found[PLACES + 1] = potential_index(own, opp, vacant)
        found[PLACES + 2] = empties_index(popcount(vacant))

    def terms(self, own: int, opp: int) -> list[tuple[str, int]]:
        """Return the contribution of each pattern and of each of :data:`OTHERS`.

        The contributions are rounded so that they sum to the rounded total.
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
