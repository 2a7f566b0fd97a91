"""The recursion for games of chance: expectiminimax, with Ballard's pruning.

A player's node is that of alpha-beta. At nature's node the value is the weighted average over its moves. It is taken
once, as the whole number nearest to the exact average (a half is rounded up), in every variant alike; averages of whole
numbers need nothing finer, since every window is one of whole numbers too. So the variants agree exactly.
The option ``Algorithm`` says how much is pruned; here its three values choose

``minimax``
    plain expectiminimax (Michie 1966): nothing is pruned.
``alphabeta``
    Star1: since no score exceeds the game's largest, a few outcomes may settle on which side of the window the average
    must fall, and each outcome gets the window outside of which its own value would settle it.
``pvs``
    Star2: before that, one move is tried after each outcome. The mover is free to make it, so it bounds the outcome
    from below, and often the average from below by enough.

Star1 and Star2: Ballard, "The *-minimax search procedure for trees containing chance nodes", 1983.

Nature's moves are nodes, but take no depth: a depth counts the moves of the players.
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
    """Return the greatest whole number that is at most ``number / divisor``, for a positive divisor."""
    quotient: cython.longlong = number // divisor  # rounded towards zero in C
    return quotient - 1 if quotient * divisor > number else quotient


def rounded(total: cython.longlong, weight: cython.longlong) -> cython.longlong:
    """Return the whole number nearest to ``total / weight``, the greater of two equally near."""
    return floored(2 * total + weight, 2 * weight)


class Expectimax(Search):
    """The state of one search; :class:`Search` says what its parameters and attributes are."""

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

        The contract is that of :meth:`Search.node`; the value of nature's node is from the view of
        the next player.
        """
        if self.position.is_chance():
            return self.chance_node(depth, alpha, beta, ply)
        return Search.node(self, depth, alpha, beta, ply)

    def child(
        self, depth: cython.int, alpha: cython.int, beta: cython.int, ply: cython.int, first: cython.bint
    ) -> cython.int:
        """Return the value of the position just reached from the view of the side that moved, fail-soft.

        ``pvs`` stands for Star2 here, so there are no null windows.
        """
        if self.algorithm == MINIMAX:
            return -self.node(depth, -INFINITE, INFINITE, ply)
        return -self.node(depth, -beta, -alpha, ply)

    def chance_node(self, depth: cython.int, alpha: cython.int, beta: cython.int, ply: cython.int) -> cython.int:
        """Return the value of nature's node, by the contract of :meth:`Search.node`."""
        self.pv_length[ply] = 0
        if ply > self.seldepth:
            self.seldepth = ply

        # 1. At the horizon the static value stands.
        if depth <= 0 or not self.picker.has_room(ply):
            return self.position.evaluate()

        # 2. The table may know the value.
        if self.table is not None:
            data: cython.ulonglong = self.table.probe(self.position.key ^ self.salt)
            self.probes += 1
            if data != 0:
                self.hits += 1
                if self.answers(data, depth, alpha, beta):
                    return score_of(data)

        # 3. No move at all: the game is over.
        count: cython.int = self.position.generate(self.picker.moves, self.picker.start[ply])
        if count == 0:
            return self.position.final_score()

        # 4. Take the average, and tell the table.
        self.picker.start[ply + 1] = self.picker.start[ply] + count
        value: cython.int = self.average(depth, alpha, beta, ply, count)
        if self.table is not None and not self.stopped:
            bound: cython.int = LOWER if value >= beta else EXACT if value > alpha else UPPER
            self.table.store(self.position.key ^ self.salt, depth, bound, value, 0, 0)
        return value

    def average(
        self, depth: cython.int, alpha: cython.int, beta: cython.int, ply: cython.int, count: cython.int
    ) -> cython.int:
        """Return the value of nature's node with ``count`` moves, fail-soft.

        Everything is a sum over the outcomes, each value times its weight: the average reaches beta where the sum
        reaches ``enough``, and does not exceed alpha where the sum does not exceed ``short``. Of the outcomes to come
        it is known that together they are worth at least ``least`` and at most ``to_come`` times the largest score.
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
        """Return a lower bound of the sum over all outcomes, each bounded by the value of one move after it.

        The bounds are left in ``floors``; it ends early when the sum reaches what beta asks for.
        """
        start: cython.int = self.picker.start[ply]
        enough: cython.longlong = weight * beta - weight // 2
        least: cython.longlong = -weight * self.limit
        own: cython.longlong
        high: cython.longlong
        i: cython.int
        for i in range(count):
            self.floors[start + i] = -self.limit
        if enough > weight * self.limit:  # an open window cannot be reached
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
        """Return a lower bound of the value of a position after an outcome: that of its most promising move."""
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
