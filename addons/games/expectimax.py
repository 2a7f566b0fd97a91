"""The recursion for games of chance: expectiminimax with Ballard's pruning.

Player nodes use alpha-beta. The value of a chance node is the weighted average of its moves. It is rounded once, to the
nearest integer (half rounds up), in all variants; since all windows have integer bounds, averages need no higher
precision. All variants therefore agree exactly. The option ``Algorithm`` chooses how much is pruned:

``minimax``
    plain expectiminimax (Michie 1966) without pruning.
``alphabeta``
    Star1: since scores are bounded, a few outcomes may determine on which side of the window the average must fall, and
    each outcome is searched with a window such that a value outside it settles this.
``pvs``
    Star2: before Star1, one move is tried after each outcome. Its value is a lower bound for the outcome, and together
    these bounds are often high enough for a cutoff.

Star1 and Star2: Ballard, "The *-minimax search procedure for trees containing chance nodes", 1983.

Chance moves are nodes but use no depth, because depth counts only the players' moves.
"""

from __future__ import annotations

import time
from collections.abc import Callable

import cython
from cython.cimports.quietmove.engine.search.node import INFINITE, MINIMAX, PVS, SOLVED
from cython.cimports.quietmove.engine.search.ordering import NO_MOVE
from cython.cimports.quietmove.engine.search.table import EXACT, LOWER, UPPER, bound_of, depth_of, move_of, score_of

from quietmove.engine.games.base import Position
from quietmove.engine.search.node import Search
from quietmove.engine.search.table import Table
from quietmove.engine.values import Settings


def floored(number: cython.longlong, divisor: cython.longlong) -> cython.longlong:
    """Return ``number / divisor`` rounded down, for a positive divisor."""
    quotient: cython.longlong = number // divisor  # rounded towards zero in C
    return quotient - 1 if quotient * divisor > number else quotient


def rounded(total: cython.longlong, weight: cython.longlong) -> cython.longlong:
    """Return ``total / weight`` rounded to the nearest integer, with halves rounded up."""
    return floored(2 * total + weight, 2 * weight)


class Expectimax(Search):
    """A search of a game of chance; see :class:`Search` for parameters and attributes."""

    floors: list[int]

    def __init__(
        self,
        position: Position,
        table: Table | None,
        settings: Settings,
        expired: Callable[[], bool] | None,
        now: Callable[[], float] = time.perf_counter,
    ) -> None:
        super().__init__(position, table, settings, expired, now)
        self.limit = position.largest_score

    def node(self, depth: cython.int, alpha: cython.int, beta: cython.int, ply: cython.int) -> cython.int:
        """Return the value of the position, fail-soft, for ``alpha < beta``.

        The contract is that of :meth:`Search.node`; the value of a chance node is from the next player's point of view.
        """
        if self.position.is_chance():
            return self.chance_node(depth, alpha, beta, ply)
        return Search.node(self, depth, alpha, beta, ply)

    def child(
        self, depth: cython.int, alpha: cython.int, beta: cython.int, ply: cython.int, first: cython.bint
    ) -> cython.int:
        """Return the fail-soft value of the position just reached, from the point of view of the side that moved.

        ``pvs`` means Star2 here, so there are no null windows.
        """
        if self.algorithm == MINIMAX:
            return -self.node(depth, -INFINITE, INFINITE, ply)
        return -self.node(depth, -beta, -alpha, ply)

    def chance_node(self, depth: cython.int, alpha: cython.int, beta: cython.int, ply: cython.int) -> cython.int:
        """Return the value of a chance node, with the contract of :meth:`Search.node`."""
        self.pv_length[ply] = 0
        if ply > self.seldepth:
            self.seldepth = ply

        # 1. At the horizon, return the static evaluation.
        if depth <= 0 or not self.picker.has_room(ply):
            return self.position.evaluate()

        # 2. The table may contain the value.
        if self.table is not None:
            data: cython.ulonglong = self.table.probe(self.position.key ^ self.salt)
            self.probes += 1
            if data != 0:
                self.hits += 1
                if self.answers(data, depth, alpha, beta):
                    return score_of(data)

        # 3. No legal move: the game is over.
        count: cython.int = self.position.generate(self.picker.moves, self.picker.start[ply])
        if count == 0:
            return self.position.final_score()

        # 4. Compute the average and store it in the table.
        self.picker.start[ply + 1] = self.picker.start[ply] + count
        value: cython.int = self.average(depth, alpha, beta, ply, count)
        if self.table is not None and not self.stopped:
            bound: cython.int = LOWER if value >= beta else EXACT if value > alpha else UPPER
            self.table.store(self.position.key ^ self.salt, depth, bound, value, 0, 0)
        return value

    def average(
        self, depth: cython.int, alpha: cython.int, beta: cython.int, ply: cython.int, count: cython.int
    ) -> cython.int:
        """Return the value of a chance node with ``count`` moves, fail-soft.

        All quantities are sums of value times weight over the outcomes: the average reaches beta if the sum reaches
        ``enough``, and does not exceed alpha if the sum does not exceed ``short``. The remaining outcomes together are
        worth at least ``least`` and at most ``to_come`` times the largest score.
        """
        start: cython.int = self.picker.start[ply]
        i: cython.int
        weight: cython.longlong = 0
        for i in range(count):
            weight += self.position.weight(self.picker.moves[start + i])
        enough: cython.longlong = weight * beta - weight // 2
        short: cython.longlong = weight * (cython.cast(cython.longlong, alpha) + 1) - weight // 2 - 1
        total: cython.longlong = 0
        to_come: cython.longlong = weight
        least: cython.longlong = -weight * self.limit
        if self.algorithm == PVS:
            least = self.probe_all(depth, beta, ply, count, weight)
        own: cython.longlong
        low: cython.longlong
        high: cython.longlong
        value: cython.int
        for i in range(count):
            if self.algorithm != MINIMAX:
                if total + least >= enough:
                    return cython.cast(cython.int, rounded(total + least, weight))
                if total + to_come * self.limit <= short:
                    return cython.cast(cython.int, rounded(total + to_come * self.limit, weight))
            own = self.position.weight(self.picker.moves[start + i])
            to_come -= own
            low = -INFINITE
            high = INFINITE
            if self.algorithm != MINIMAX:
                least -= own * (self.floors[start + i] if self.algorithm == PVS else -self.limit)
                low = max(floored(short - total - to_come * self.limit, own), -self.limit - 1)
                high = min(-floored(total + least - enough, own), self.limit + 1)
            if self.nodes >= self.next_poll:
                self.poll()
            if self.stopped:
                return 0
            self.nodes += 1
            self.position.make(self.picker.moves[start + i])
            value = self.node(depth, cython.cast(cython.int, low), cython.cast(cython.int, high), ply + 1)
            self.position.unmake()
            if self.stopped:
                return 0
            total += own * value
        return cython.cast(cython.int, rounded(total, weight))

    def probe_all(
        self, depth: cython.int, beta: cython.int, ply: cython.int, count: cython.int, weight: cython.longlong
    ) -> cython.longlong:
        """Return a lower bound on the weighted sum of all outcomes, found by searching one move after each outcome.

        The bounds are stored in ``floors``. The method returns early if the sum reaches what beta requires.
        """
        start: cython.int = self.picker.start[ply]
        enough: cython.longlong = weight * beta - weight // 2
        least: cython.longlong = -weight * self.limit
        own: cython.longlong
        high: cython.longlong
        i: cython.int
        for i in range(count):
            self.floors[start + i] = -self.limit
        if enough > weight * self.limit:  # an open window: beta cannot be reached
            return least
        for i in range(count):
            own = self.position.weight(self.picker.moves[start + i])
            high = min(-floored(least + own * self.limit - enough, own), self.limit + 1)
            if high <= -self.limit or self.stopped:
                return least
            if self.nodes >= self.next_poll:
                self.poll()
            if self.stopped:
                return least
            self.nodes += 1
            self.position.make(self.picker.moves[start + i])
            self.floors[start + i] = self.probe(depth, cython.cast(cython.int, high), ply + 1)
            self.position.unmake()
            least += own * (self.floors[start + i] + cython.cast(cython.longlong, self.limit))
        return least

    def probe(self, depth: cython.int, beta: cython.int, ply: cython.int) -> cython.int:
        """Return a lower bound on the value of a position after an outcome: the value of its most promising move."""
        data: cython.ulonglong = 0
        if self.table is not None:
            data = self.table.probe(self.position.key ^ self.salt)
            self.probes += 1
            if data != 0:
                self.hits += 1
                if depth_of(data) == depth and bound_of(data) != UPPER:
                    return score_of(data)
        count: cython.int = self.position.generate(self.picker.moves, self.picker.start[ply])
        if count == 0:
            return self.position.final_score()
        if self.position.is_chance():
            return -self.limit
        self.picker.begin(ply, count, depth, False, move_of(data) if data != 0 else NO_MOVE)
        move: cython.int = self.picker.next_move(ply)
        if self.nodes >= self.next_poll:
            self.poll()
        if self.stopped:
            return -self.limit
        self.nodes += 1
        self.position.make(move)
        value: cython.int = -self.node(depth if depth == SOLVED else depth - 1, -beta, self.limit + 1, ply + 1)
        self.position.unmake()
        return value
