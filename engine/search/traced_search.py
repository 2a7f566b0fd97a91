"""The traced search: the same recursion, with each call wrapped to report events.

Tracing costs nothing when not in use, because the recursion calls itself through the class's method table, and this
class overrides the methods there.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

import cython
from cython.cimports.quietmove.engine.games.base import WIN
from cython.cimports.quietmove.engine.search.node import DISTANCE, MOVES, OVER, SOLVED, STATIC

from quietmove.engine.errors import LimitsError
from quietmove.engine.games.base import Position
from quietmove.engine.search.events import Bounds, Cutoff, Enter, Event, Source, Value
from quietmove.engine.search.node import Search
from quietmove.engine.search.table import Table
from quietmove.engine.values import Bound, Settings

TREE_LIMIT = 20000  # maximum number of positions in a traced tree, before pruning
SOURCES: tuple[Source, ...] = ("moves", "static", "table", "over", "solver", "distance")  # in the order of node.pxd


class TracedSearch(Search):
    """A search that passes each of its steps to ``emit``.

    If ``emit`` raises an exception, the search stops and :meth:`Search.run` raises it.
    """

    def __init__(
        self,
        position: Position,
        table: Table | None,
        settings: Settings,
        expired: Callable[[], bool],
        emit: Callable[[Event], None],
        now: Callable[[], float] = time.perf_counter,
    ) -> None:
        super().__init__(position, table, settings, expired, now)
        self.emit = emit

    def node(self, depth: cython.int, alpha: cython.int, beta: cython.int, ply: cython.int) -> cython.int:
        self.tell_enter(depth, alpha, beta, ply)
        value: cython.int = Search.node(self, depth, alpha, beta, ply)
        if self.stopped:
            return value
        source: cython.int = self.source
        if source == MOVES:
            self.tell_cutoff(depth, value, beta, ply)
        self.tell_value(depth, value, alpha, beta, ply, source)
        return value

    def child(
        self, depth: cython.int, alpha: cython.int, beta: cython.int, ply: cython.int, first: cython.bint
    ) -> cython.int:
        score: cython.int = Search.child(self, depth, alpha, beta, ply, first)
        if alpha < score < beta and not self.stopped:
            self.tell_bounds(ply - 1, score, beta)
        return score

    def tell_enter(self, depth: cython.int, alpha: cython.int, beta: cython.int, ply: cython.int) -> None:
        """Report that a node is entered."""
        move = self.picker.moves[self.picker.cursor[ply - 1] - 1] if ply else None
        plies = None if depth == SOLVED else depth
        self.tell(Enter(ply, move, self.position.side_to_move, plies, shown(alpha), shown(beta)))

    def tell_bounds(self, ply: cython.int, alpha: cython.int, beta: cython.int) -> None:
        """Report that the window of a node has become narrower."""
        self.tell(Bounds(ply, self.picker.moves[self.picker.cursor[ply] - 1], alpha, shown(beta)))

    def tell_cutoff(self, depth: cython.int, value: cython.int, beta: cython.int, ply: cython.int) -> None:
        """Report the moves that are skipped, if any."""
        place: cython.int = self.picker.cursor[ply]
        if place == self.picker.start[ply + 1]:
            return
        untried = tuple([self.picker.moves[i] for i in range(place, self.picker.start[ply + 1])])
        saved = sum([self.leaves_behind(move, depth) for move in untried])
        enough = min(beta, value)  # a win in one is enough for any beta
        self.tell(Cutoff(ply, self.picker.moves[place - 1], value, enough, untried, saved))

    def tell_value(
        self,
        depth: cython.int,
        value: cython.int,
        alpha: cython.int,
        beta: cython.int,
        ply: cython.int,
        source: cython.int,
    ) -> None:
        """Report the value of a node when it is left."""
        bound: Bound = "lower" if value >= beta else "upper" if value <= alpha else "exact"
        if source == OVER or (source == STATIC and not self.quiescence):
            bound = "exact"
        saved = self.position.count_leaves(max(0, depth)) if source == DISTANCE else 0
        self.tell(Value(ply, value, bound, SOURCES[source], saved))

    def tell(self, event: Event) -> None:
        """Pass an event to ``emit``; an exception raised there ends the search."""
        try:
            self.emit(event)
        except BaseException as error:  # run() raises it
            self.failure = error
            self.stopped = True

    def leaves_behind(self, move: cython.int, depth: cython.int) -> cython.ulonglong:
        """Return the number of leaves below ``move`` if it is played with ``depth`` plies left."""
        if depth <= 1:
            return 1
        self.position.make(move)
        leaves: cython.ulonglong = self.position.count_leaves(depth if depth == SOLVED else depth - 1)
        self.position.unmake()
        return leaves


def shown(bound: int) -> int | None:
    """Return a window's bound as shown in events, or None if no score can be beyond it."""
    return None if abs(bound) >= WIN else bound


def require_small(
    position: Position, depth: int, quiescence: bool, roots: Sequence[int], most: int = TREE_LIMIT
) -> int:
    """Check that the complete tree of a search is small enough to be traced, and return the number of its positions.

    The root itself is not counted.

    :param depth: plies, or :data:`quietmove.engine.search.node.SOLVED`.
    :param roots: the root moves to consider.
    :raises LimitsError: if it has more than ``most`` positions.
    """
    room: cython.longlong = most
    plies: cython.int = depth
    follow: cython.bint = quiescence
    for move in roots:
        position.make(move)
        room -= count_positions(position, plies if plies == SOLVED else plies - 1, follow, room)
        position.unmake()
        position.check()
        if room < 0:
            raise LimitsError(
                f"Trace: the tree must have at most {most} positions before pruning;"
                " use a smaller depth or a later position"
            )
    return most - room


def count_positions(
    position: Position, depth: cython.int, quiescence: cython.bint, room: cython.longlong
) -> cython.longlong:
    """Count the positions of the tree at ``position``, including it; stop counting once the number exceeds ``room``."""
    moves = cython.declare(cython.int[512])
    count: cython.int = 0
    if depth > 0:
        count = position.generate(moves, 0)
    elif quiescence:
        count = position.generate_noisy(moves, 0)
        if count < 0:
            count = 1
    total: cython.longlong = 1
    i: cython.int
    for i in range(count):
        if total > room:
            break
        position.make(moves[i])
        total += count_positions(position, depth if depth == SOLVED else depth - 1, quiescence, room - total)
        position.unmake()
    return total
