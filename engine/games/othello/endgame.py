"""The exact value of the last empty squares of Othello, in discs.

Three stages, each for fewer empties than the one before: moves sorted by how few replies they leave; moves in the order
of parity (squares in a quadrant with an odd number of empties first, so that the opponent has to open the next one);
and the last empty square, which is counted and not played.
"""

from __future__ import annotations

import cython

from quietmove.engine.games.base import Watch

if cython.compiled:
    from cython.cimports.quietmove.engine.games.othello.bits_header import (
        final_discs,
        flips,
        lowest_square,
        mobility,
        popcount,
        prepare_rays,
    )
else:
    from quietmove.engine.games.othello.bits import final_discs, flips, lowest_square, mobility, popcount, prepare_rays

__all__ = ["solve"]

if not cython.compiled:  # endgame.pxd has them as C constants
    SORTED_FROM = 7  # empties from which sorting the moves pays
    WORST = -65

FULL = cython.declare(cython.ulonglong, 0xFFFFFFFFFFFFFFFF)
CORNERS = cython.declare(cython.ulonglong, 0x8100000000000081)
QUADRANT = cython.declare(cython.ulonglong, 0x000000000F0F0F0F)

prepare_rays()


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def odd_squares(vacant: cython.ulonglong) -> cython.ulonglong:
    """Return the squares of the quadrants that hold an odd number of empties."""
    quadrant: cython.ulonglong = QUADRANT
    odd: cython.ulonglong = 0
    if popcount(vacant & quadrant) & 1:
        odd |= quadrant
    if popcount(vacant & quadrant << 4) & 1:
        odd |= quadrant << 4
    if popcount(vacant & quadrant << 32) & 1:
        odd |= quadrant << 32
    if popcount(vacant & quadrant << 36) & 1:
        odd |= quadrant << 36
    return odd


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def counted(watch: Watch) -> cython.bint:
    """Count a node and return True; return False if the search has to stop before it."""
    if watch.nodes >= watch.next_poll:
        watch.poll()
        if watch.stopped:
            return False
    watch.nodes += 1
    return True


def solve(
    own: cython.ulonglong, opp: cython.ulonglong, alpha: cython.int, beta: cython.int, watch: Watch
) -> cython.int:
    """Return the value in discs from the view of ``own``, fail-soft, for ``alpha < beta``; worthless once stopped.

    ``watch`` counts the moves made, passes and the counted last squares included.
    """
    if popcount(own | opp) <= 64 - SORTED_FROM:
        return sorted_moves(own, opp, alpha, beta, 0, watch)
    return nearest_moves(own, opp, alpha, beta, 0, watch)


def sorted_moves(
    own: cython.ulonglong,
    opp: cython.ulonglong,
    alpha: cython.int,
    beta: cython.int,
    passed: cython.int,
    watch: Watch,
) -> cython.int:
    """Search the moves in the order of fewest replies."""
    legal: cython.ulonglong = mobility(own, opp)
    if legal == 0:
        if passed:
            return final_discs(own, opp)
        if not counted(watch):
            return 0
        return -sorted_moves(opp, own, -beta, -alpha, 1, watch)
    odd: cython.ulonglong = odd_squares(~(own | opp) & FULL)
    squares = cython.declare(cython.int[34])
    costs = cython.declare(cython.int[34])
    turned: cython.ulonglong
    bit: cython.ulonglong
    count: cython.int = 0
    cost: cython.int
    square: cython.int
    while legal:
        square = lowest_square(legal)
        bit = cython.cast(cython.ulonglong, 1) << square
        legal ^= bit
        turned = flips(own, opp, square)
        cost = 4 * popcount(mobility(opp ^ turned, own | turned | bit))
        cost -= 6 if bit & CORNERS else 0
        cost -= 2 if bit & odd else 0
        i: cython.int = count
        while i > 0 and costs[i - 1] > cost:
            costs[i] = costs[i - 1]
            squares[i] = squares[i - 1]
            i -= 1
        costs[i] = cost
        squares[i] = square
        count += 1
    best: cython.int = WORST
    score: cython.int
    for i in range(count):
        turned = flips(own, opp, squares[i])
        bit = cython.cast(cython.ulonglong, 1) << squares[i]
        if not counted(watch):
            return 0
        if i and beta - alpha > 1:  # a null window first: later moves are expected to be no better
            score = -solve(opp ^ turned, own | turned | bit, -alpha - 1, -alpha, watch)
            if alpha < score < beta:
                score = -solve(opp ^ turned, own | turned | bit, -beta, -score, watch)
        else:
            score = -solve(opp ^ turned, own | turned | bit, -beta, -alpha, watch)
        if score > best:
            best = score
            if score > alpha:
                alpha = score
                if alpha >= beta:
                    break
    return best


def nearest_moves(
    own: cython.ulonglong,
    opp: cython.ulonglong,
    alpha: cython.int,
    beta: cython.int,
    passed: cython.int,
    watch: Watch,
) -> cython.int:
    """Search the moves in the order of parity."""
    vacant: cython.ulonglong = ~(own | opp) & FULL
    if vacant & (vacant - 1) == 0:
        if vacant:
            return last_move(own, opp, lowest_square(vacant), watch)
        return popcount(own) - popcount(opp)
    odd: cython.ulonglong = odd_squares(vacant)
    best: cython.int = WORST
    score: cython.int
    square: cython.int
    turned: cython.ulonglong
    squares: cython.ulonglong = vacant & odd
    rest: cython.ulonglong = vacant & ~odd
    while squares | rest:
        if squares == 0:
            squares = rest
            rest = 0
        square = lowest_square(squares)
        squares &= squares - 1
        turned = flips(own, opp, square)
        if turned:
            if not counted(watch):
                return 0
            score = -nearest_moves(
                opp ^ turned, own | turned | cython.cast(cython.ulonglong, 1) << square, -beta, -alpha, 0, watch
            )
            if score > best:
                best = score
                if score > alpha:
                    alpha = score
                    if alpha >= beta:
                        return best
    if best != WORST:
        return best
    if passed:
        return final_discs(own, opp)
    if not counted(watch):
        return 0
    return -nearest_moves(opp, own, -beta, -alpha, 1, watch)


def last_move(own: cython.ulonglong, opp: cython.ulonglong, square: cython.int, watch: Watch) -> cython.int:
    """Return the value with one empty square left, without making the move."""
    mine: cython.int = popcount(own)
    turned: cython.int = popcount(flips(own, opp, square))
    if not counted(watch):
        return 0
    if turned:
        return 2 * (mine + turned + 1) - 64
    turned = popcount(flips(opp, own, square))
    if turned:
        if not counted(watch):
            return 0
        return 2 * (mine - turned) - 64
    return final_discs(own, opp)
