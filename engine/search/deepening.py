"""Iterative deepening: search one ply deeper again and again, each time led by what the last time found.

Each iteration is searched in an aspiration window around the last value (Baudet 1978), widened until the value lies
inside. The table and the orderings make this cheaper than one search of the last depth alone (Slate and Atkin 1977).
Near the end of the game the exact search follows at once (:func:`depths`), and a proven win or loss ends it all.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

from quietmove.engine.games.base import DECISIVE, WIN, Position
from quietmove.engine.search.clock import Clock
from quietmove.engine.search.node import ALGORITHMS, INFINITE, MAX_DEPTH, SOLVED, Search
from quietmove.engine.search.table import Table
from quietmove.engine.values import Info, Limits, Score, SearchResult, Settings

if TYPE_CHECKING:
    from quietmove.engine.search.events import Event

__all__ = ["ALGORITHMS", "Deepening"]

ASPIRATION = 150  # half the width of the first window
ASPIRATION_FROM = 4  # iterations before this are too cheap and too wild for a window
WIDENING = 4
# The plies that the exact search skips at most. Measured where 14 to 22 plies are left: 12 is quickest, and
# takes about a tenth of the time of all iterations; the more are skipped, the worse the order of moves is.
EXACT_WITHIN = 12


class Deepening:
    """One search, from the first iteration to the answer.

    :param position: searched in place and restored; nobody else may touch it meanwhile.
    :param table: the transposition table, or None.
    :param settings: how to search.
    :param limits: when to stop.
    :param clock: seconds from any origin.
    :param trace: is told each step of each iteration.
    :raises LimitsError: if the search is to be traced, and its tree is too large for that.
    """

    _recursion: type[Search] = Search

    def __init__(
        self,
        position: Position,
        table: Table | None,
        settings: Settings,
        limits: Limits,
        clock: Callable[[], float] = time.perf_counter,
        trace: Callable[[Event], None] | None = None,
    ) -> None:
        self._position = position
        self._table = table
        self._settings = settings
        self._limits = limits
        self._clock = Clock(limits, clock)
        self._legal = position.legal_moves()
        self._roots = [move for move in self._legal if not limits.searchmoves or move in limits.searchmoves]
        self._best: Info | None = None
        self._trace = trace
        self._search = self._make_search()
        if limits.nodes is not None:
            self._search.node_limit = limits.nodes

    def _make_search(self) -> Search:
        """Return the recursion, traced if that is wanted."""
        chosen = (self._position, self._table, self._settings, self._clock.expired)
        if self._trace is None:
            return self._recursion(*chosen)
        from quietmove.engine.search.traced_search import TracedSearch, require_small

        depth, end = min(self._limits.depth or MAX_DEPTH, MAX_DEPTH), self._position.moves_left()
        require_small(self._position, SOLVED if depth >= end else depth, self._settings.quiescence, self._roots)
        return TracedSearch(*chosen, self._trace)

    def stop(self) -> None:
        """End the search as soon as may be; from any thread, at any time."""
        self._search.stopped = True
        self._search.next_poll = 0

    def ponderhit(self) -> None:
        """Let the clock run from now on; from any thread."""
        self._clock.ponderhit()
        self._search.next_poll = 0

    def iterations(self) -> Iterator[Info]:
        """Search, and yield a report for each line of each iteration that was completed."""
        if not self._roots:
            return
        if self._table is not None:
            self._table.new_search()
        end = self._position.moves_left()
        value = 0
        for depth in depths(self._limits, self._clock, end, lambda: self._search.nodes):
            lines = list(self._lines(depth, SOLVED if depth == end else depth, value))
            if len(lines) < self._line_count():
                return
            self._best = lines[0]
            value = lines[0].score.value
            yield from lines
            if self._search.stopped or not self._clock.may_go_on() or (self._clock.timed and len(self._roots) == 1):
                return
            if all(proven(line.score.value, depth) for line in lines):
                return

    def _line_count(self) -> int:
        """Return how many lines an iteration has."""
        return min(self._settings.multipv, len(self._roots))

    def _lines(self, depth: int, plies: int, value: int) -> Iterator[Info]:
        """Search one iteration; yield its lines, each without the first moves of those before it."""
        roots = list(self._roots)
        for rank in range(1, self._line_count() + 1):
            search = self._search
            search.seldepth = 0
            probes, hits = search.probes, search.hits
            value = self._value(depth, plies, value, roots)
            if search.stopped:
                return
            line = search.line()
            if plies == SOLVED and self._trace is None:  # which is a story of its own
                line += self._rest_of_game(line, value)
            yield Info(
                depth=depth,
                seldepth=search.seldepth,
                multipv=rank,
                score=Score(value),
                nodes=search.nodes,
                time=int(self._clock.elapsed() * 1000),
                hashfull=self._table.hashfull() if self._table is not None else 0,
                pv=tuple(line),
                probes=search.probes - probes,
                hits=search.hits - hits,
            )
            roots.remove(line[0])

    def _rest_of_game(self, line: list[int], value: int) -> list[int]:
        """Return best play from the end of ``line`` on, where the game's own solver took over, if time allows."""
        search, position = self._search, self._position
        rest: list[int] = []
        start = position.ply
        try:
            for move in line:
                position.play(move)
                value = after_best_move(value)
            while (moves := position.legal_moves()) and not search.stopped:
                search.run(SOLVED, value - 1, value + 1, moves, whole=False)
                if not search.stopped:
                    rest.append(search.line()[0])
                    position.play(rest[-1])
                    value = after_best_move(value)
        finally:
            while position.ply > start:
                position.undo()
        return rest

    def _value(self, depth: int, plies: int, guess: int, roots: list[int]) -> int:
        """Return the exact value of the root, searched in windows around ``guess``."""
        low, high = -INFINITE, INFINITE
        margin = ASPIRATION
        if depth >= ASPIRATION_FROM and self._settings.algorithm != "minimax":
            low, high = guess - margin, guess + margin
        while True:
            value = self._search.run(plies, low, high, roots, whole=len(roots) == len(self._legal))
            if self._search.stopped or low < value < high:
                return value
            margin *= WIDENING
            if value <= low:
                low = max(-INFINITE, value - margin)
            else:
                high = min(INFINITE, value + margin)

    def result(self) -> SearchResult:
        """Return the answer of the last completed iteration; before there is one, the first legal move."""
        return answer(self._best, self._roots, self._search.nodes, self._clock)


def depths(limits: Limits, clock: Clock, end: int, nodes: Callable[[], int]) -> Iterator[int]:
    """Yield the depth of each iteration in turn: 1, 2 …, and ``end`` as soon as the limits allow an exact search.

    :param end: the plies to the end of the game.
    :param nodes: tells how many nodes have been searched by now.
    """
    last = min(limits.depth or MAX_DEPTH, MAX_DEPTH, end)
    depth = 0
    while depth < last:
        skipped = end - depth
        exact = last == end and depth > 0 and skipped <= EXACT_WITHIN and clock.allows_exact(skipped, nodes())
        depth = end if exact else depth + 1
        yield depth


def proven(value: int, depth: int) -> bool:
    """Tell whether ``value`` is a win or a loss that no deeper search changes.

    A longer one comes from quiescence, which does not look at all moves.
    """
    return abs(value) > DECISIVE and WIN - abs(value) <= depth


def answer(best: Info | None, roots: Sequence[int], nodes: int, clock: Clock) -> SearchResult:
    """Return the answer that ``best`` gives, the first line of the last completed iteration; else the first root."""
    elapsed = int(clock.elapsed() * 1000)
    if best is None:
        return SearchResult(roots[0] if roots else None, None, None, 0, nodes, elapsed)
    ponder = best.pv[1] if len(best.pv) > 1 else None
    return SearchResult(best.pv[0], ponder, best.score, best.depth, nodes, elapsed)


def after_best_move(value: int) -> int:
    """Return what a position's value is for the other side after the best move: a win or a loss is one ply nearer."""
    if abs(value) < DECISIVE:
        return -value
    return -value - 1 if value > 0 else -value + 1
