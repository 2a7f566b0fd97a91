"""A unit of time for comparing machines: the CPU time of a fixed search on the current machine.

The work is an exact endgame search of twelve positions with 12 to 16 empty squares: alpha-beta without a table, with
moves sorted by the number of replies from seven empties on. It visits the same nodes everywhere and uses no vectors,
because this module is excluded from the builds for newer processors. A program's CPU time divided by this time can be
compared between machines. The work must never change; faster endgame code belongs in ``endgame``.
"""

from __future__ import annotations

import time

import cython
from cython.cimports.quietmove.engine.games.othello.bits_header import lowest_square, popcount

SORTED_FROM = cython.declare(cython.int, 7)  # minimum number of empty squares for sorting the moves
NODES = 15_177_064  # total number of nodes
RUNS = 3
# The discs of the side to move and of the opponent, as 64-bit sets.
POSITIONS = (
    (8813001858718187777, 122139249542565406),
    (8726028918401356220, 154998628273228800),
    (16248530471235684927, 456432396956672),
    (9034140857712768, 17879016188941647708),
    (10029137596164, 18228872411519918145),
    (9183700798331158784, 3641888519105583),
    (10145680027799982338, 6931124217533754388),
    (9286634293935734785, 583847612650602174),
    (492590454415134, 5619981597180698656),
    (580145633748386305, 11867205599826426924),
    (665974365013687420, 11691603923828113920),
    (1166523632009901812, 12126834998945974529),
)


def measure(runs: int = RUNS) -> float:
    """Return the CPU seconds for the work: the minimum over ``runs`` runs of about half a second each."""
    return min(_seconds() for _ in range(runs))


def _seconds() -> float:
    began = time.thread_time()
    for own, opp in POSITIONS:
        Yardstick().value(own, opp)
    return time.thread_time() - began


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def run_up(own: cython.ulonglong, theirs: cython.ulonglong, stride: cython.int) -> cython.ulonglong:
    """Return the discs of ``theirs`` in unbroken runs that start next to ``own`` and go to higher squares."""
    run: cython.ulonglong = theirs & (own << stride)
    run |= theirs & (run << stride)
    pairs: cython.ulonglong = theirs & (theirs << stride)
    run |= pairs & (run << 2 * stride)
    return run | pairs & (run << 2 * stride)


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def run_down(own: cython.ulonglong, theirs: cython.ulonglong, stride: cython.int) -> cython.ulonglong:
    """Return the discs of ``theirs`` in unbroken runs that start next to ``own`` and go to lower squares."""
    run: cython.ulonglong = theirs & (own >> stride)
    run |= theirs & (run >> stride)
    pairs: cython.ulonglong = theirs & (theirs >> stride)
    run |= pairs & (run >> 2 * stride)
    return run | pairs & (run >> 2 * stride)


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def ends(own: cython.ulonglong, theirs: cython.ulonglong, stride: cython.int) -> cython.ulonglong:
    """Return the squares after the runs, in both directions of a line."""
    return run_up(own, theirs, stride) << stride | run_down(own, theirs, stride) >> stride


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def legal_squares(own: cython.ulonglong, opp: cython.ulonglong) -> cython.ulonglong:
    """Return the legal moves of ``own``."""
    inner: cython.ulonglong = opp & cython.cast(cython.ulonglong, 0x7E7E7E7E7E7E7E7E)
    found: cython.ulonglong = ends(own, inner, 1) | ends(own, opp, 8) | ends(own, inner, 7) | ends(own, inner, 9)
    return found & ~(own | opp)


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def line_flips(
    own: cython.ulonglong, theirs: cython.ulonglong, disc: cython.ulonglong, stride: cython.int
) -> cython.ulonglong:
    """Return the discs that ``disc`` flips in both directions of a line."""
    up: cython.ulonglong = run_up(disc, theirs, stride)
    down: cython.ulonglong = run_down(disc, theirs, stride)
    return (up if own & (up << stride) else 0) | (down if own & (down >> stride) else 0)


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def all_flips(own: cython.ulonglong, opp: cython.ulonglong, disc: cython.ulonglong) -> cython.ulonglong:
    """Return the discs of ``opp`` flipped by a new ``disc`` of ``own``."""
    inner: cython.ulonglong = opp & cython.cast(cython.ulonglong, 0x7E7E7E7E7E7E7E7E)
    return (
        line_flips(own, inner, disc, 1)
        | line_flips(own, opp, disc, 8)
        | line_flips(own, inner, disc, 7)
        | line_flips(own, inner, disc, 9)
    )


class Yardstick:
    """A search of one position.

    :ivar nodes: number of positions visited.
    """

    def __init__(self) -> None:
        self.nodes = 0

    def value(self, own: int, opp: int) -> int:
        """Return the final disc difference from the point of view of ``own``, not counting empty squares."""
        mine: cython.ulonglong = own
        theirs: cython.ulonglong = opp
        with cython.nogil:
            value: cython.int = self.solve(mine, theirs, -64, 64, 64 - popcount(mine | theirs))
        return value

    def solve(
        self,
        own: cython.ulonglong,
        opp: cython.ulonglong,
        alpha: cython.int,
        beta: cython.int,
        empties: cython.int,
    ) -> cython.int:
        """Return the fail-soft value in the window ``alpha < beta``."""
        self.nodes += 1
        legal: cython.ulonglong = legal_squares(own, opp)
        if legal == 0:
            if legal_squares(opp, own) == 0:
                return popcount(own) - popcount(opp)
            return -self.solve(opp, own, -beta, -alpha, empties)
        costs = cython.declare(cython.int[34])
        turned = cython.declare(cython.ulonglong[34])
        count: cython.int = 0
        best: cython.int = -99
        bit: cython.ulonglong
        flipped: cython.ulonglong
        i: cython.int
        while legal:
            square: cython.int = lowest_square(legal)
            cost: cython.int = square
            bit = cython.cast(cython.ulonglong, 1) << square
            legal &= legal - 1
            flipped = all_flips(own, opp, bit)
            i = count
            if empties >= SORTED_FROM:
                cost += 64 * popcount(legal_squares(opp ^ flipped, own ^ flipped ^ bit))
                while i > 0 and costs[i - 1] > cost:
                    costs[i] = costs[i - 1]
                    turned[i] = turned[i - 1]
                    i -= 1
            costs[i] = cost
            turned[i] = flipped
            count += 1
        for i in range(count):
            bit = cython.cast(cython.ulonglong, 1) << (costs[i] & 63)
            score: cython.int = -self.solve(opp ^ turned[i], own ^ turned[i] ^ bit, -beta, -alpha, empties - 1)
            if score > best:
                best = score
                if score > alpha:
                    alpha = score
                    if score >= beta:
                        break
        return best
