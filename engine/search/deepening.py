"""Iterative deepening: search one ply deeper each time, guided by the previous iteration.

The first iteration starts at the depth that the table already has for the position, usually from the search for the
previous move. Each iteration uses an aspiration window around the last value (Baudet 1978), widened until the value is
inside. With the table and the move ordering this is cheaper than a single search at the final depth (Slate and Atkin
1977). Near the end of the game the search jumps to an exact one (:func:`depths`), and a proven win or loss ends the
search. With the goal ``solve`` or ``wld`` it continues to the end of the game, however long that takes; with ``wld``
the last iteration determines only whether the value is above, equal to or below that of a draw.
"""

from __future__ import annotations

import time
import weakref
from collections.abc import Callable, Iterator

from quietmove.engine.errors import LimitsError, ThreadError
from quietmove.engine.games.base import DECISIVE, UNKNOWN_REMAINING, WIN, Position
from quietmove.engine.search.events import Event
from quietmove.engine.search.node import CONFIDENCES, INFINITE, MAX_DEPTH, SOLVED, Search, bound_for_child
from quietmove.engine.search.parallel import Team
from quietmove.engine.search.root_search import RootSearch
from quietmove.engine.search.table import EXACT, UPPER, Table
from quietmove.engine.search.time_manager import TimeManager
from quietmove.engine.search.traced_search import TracedSearch, require_small
from quietmove.engine.values import Bound, Info, Limits, Score, Settings

ASPIRATION = 150  # half the width of an iteration's first window, in hundredths of a point
ASPIRATION_FROM = 4  # first depth with a window; earlier iterations are too cheap, and their values vary too much
WIDENING = 4
OUTCOME_BOUNDS: dict[int, Bound] = {1: "lower", 0: "exact", -1: "upper"}  # keyed by win, draw and loss
# Maximum number of plies that the exact search skips. Measured with 14 to 22 plies left: 12 is fastest, and takes about
# a tenth of the time of all iterations; skipping more makes the move order worse.
EXACT_WITHIN = 12
# With a limit, the exact search is not tried before this iteration. If the limit interrupts it, the previous iteration
# provides the result, and the first iterations have too few nodes to predict the cost of the exact search.
EXACT_AFTER = 6
# Selective iterations are cheap, so more of them precede the search to the end of the game. That search is selective at
# first if this many plies lie before the reach of the game's solver.
SELECTIVE_WITHIN = 10
SELECTIVE_BEYOND = 3
RUNG = 2  # decrease in selectivity between searches to the end of the game


class Deepening(RootSearch):
    """A search with iterative deepening.

    :param position: searched in place and restored; do not use it during the search.
    :param table: the transposition table, or None.
    :param settings: the search settings.
    :param limits: the search limits.
    :param clock: a function that returns seconds from an arbitrary origin.
    :param trace: called with each step of each iteration.
    :raises LimitsError: if the search is traced and its tree is too large, or if it must reach the end of the game and
        that is too far away.
    """

    _search: Team
    _recursion: type[Search] = Search
    _dividable = True  # whether several threads can be used

    def __init__(
        self,
        position: Position,
        table: Table | None,
        settings: Settings,
        limits: Limits,
        clock: Callable[[], float] = time.perf_counter,
        trace: Callable[[Event], None] | None = None,
    ) -> None:
        super().__init__(position, settings, limits, clock)
        if limits.goal != "move" and self._end > MAX_DEPTH:
            came = "but this game has no bound" if self._end >= UNKNOWN_REMAINING else f"not {self._end}"
            raise LimitsError(f"{limits.goal}: the end of the game must be at most {MAX_DEPTH} moves away, {came}")
        self._table = table
        self._trace = trace
        self._found: Info[int] | None = None  # the result if the next iteration is interrupted
        self._line_count = min(settings.multipv, len(self._roots))
        self._search = Team(self._make_searches())

    def _make_searches(self) -> list[Search]:
        """Return a search for each thread, or only one if it is traced or its work cannot be shared."""
        chosen = (self._table, self._settings)
        if self._trace is not None:
            depth = min(self._limits.depth or MAX_DEPTH, MAX_DEPTH)
            end = self._end
            require_small(self._position, SOLVED if depth >= end else depth, self._settings.quiescence, self._roots)
            return [TracedSearch(self._position, *chosen, self._expired, self._trace, self._clock.now)]
        first = self._recursion(self._position, *chosen, self._watch(), self._clock.now)
        if not self._dividable or self._table is None or self._position.slow:
            return [first]
        others = (self._position.copy() for _ in range(self._settings.threads - 1))
        return [first, *(self._recursion(position, *chosen, None) for position in others)]

    def _watch(self) -> Callable[[], bool]:
        """Return :meth:`_expired`, bound to a weak reference to this object.

        This object owns the recursion, which holds the returned function. A strong reference would form a cycle, so the
        recursion (half a megabyte) would not be freed immediately.
        """
        own = weakref.ref(self)

        def expired() -> bool:
            deepening = own()
            return deepening is None or deepening._expired()

        return expired

    def _expired(self) -> bool:
        """Return whether time is up. The result is always False during the first iteration, unless the game is slow."""
        return self._may_stop and self._clock.expired()

    def iterations(self) -> Iterator[Info[int]]:
        """Search, and yield a report for each line of each completed iteration.

        :raises ThreadError: at the end, if fewer threads searched than requested.
        """
        if not self._roots:
            return
        if self._table is not None:
            self._table.new_search()
        try:
            first, value = self._remembered()
            for depth, selectivity in self._plan(first):
                self._search.choose_selectivity(selectivity)
                lines = list(self._lines(depth, SOLVED if depth == self._end else depth, value))
                if len(lines) < self._line_count:
                    if self._found is not None:
                        self._best = self._found
                        yield self._found
                    break
                value = lines[0].score.value
                self._found = None
                self._completed(lines, depth == self._end)
                yield from lines
                solved = all(proven(line.score.value, depth) for line in lines)
                enough = self._limits.goal == "move" and (not self._clock.may_go_on() or self._is_forced())
                if self._search.stopped or enough or solved:
                    break
        finally:
            self._search.close()
        if self._search.shortage:
            raise ThreadError(self._search.shortage)

    def _remembered(self) -> tuple[int, int]:
        """Return the depth of the first iteration and a guess of its value, from the table if possible, else 1 and 0.

        The table's entry is the result if that iteration is interrupted. Upper bounds are not used, because they say
        nothing about the move.
        """
        last = min(self._limits.depth or MAX_DEPTH, MAX_DEPTH, self._end - 1)
        if self._trace is None and self._line_count == 1 and len(self._roots) == len(self._legal):
            self._search.choose_selectivity(self._selectivity())
            depth, score, bound, move = self._search.first.remembered()
            if ASPIRATION_FROM <= depth <= last and bound != UPPER and move in self._roots:
                remembered = Score(score, "exact" if bound == EXACT else "lower")
                self._best = self._found = self._report(depth, 1, remembered, [move])
                self._obey_limits()
                self._clock.remembered(move)
                return depth, score
        return 1, 0

    def _plan(self, first: int) -> Iterator[tuple[int, int]]:
        """Yield the depth and selectivity of each iteration.

        Searches to the end of the game become less and less selective. With a limit they run at rising confidence,
        since the exact one may be interrupted. Without a limit, it is fastest to run only one selective search before
        it, which provides the move order and a good guess of the value.
        """
        selectivity = self._selectivity()
        limits, clock, end = self._limits, self._clock, self._end
        for depth in depths(limits, clock, end, self._nodes, self._is_one_sided, selectivity > 0, first):
            if depth < self._end:
                # ProbCut starts below the root, so a shallower search must predict the values of the root's children.
                yield depth, selectivity if self._position.is_predicted(depth - 1) else 0
            else:
                most = selectivity if depth - self._position.exact_reach >= SELECTIVE_BEYOND else 0
                rungs = range(most, 0, -RUNG)
                yield from ((depth, each) for each in (rungs if self._clock.limited else rungs[:1]))
                yield depth, 0

    def _is_one_sided(self) -> bool:
        """Return whether the last value is within a point of the maximum, so that no iteration can improve it."""
        return self._best is not None and abs(self._best.score.value) >= self._position.largest_score - 100

    def _selectivity(self) -> int:
        """Return the selectivity, or 0 without null windows, in a traced search, or in a game without ProbCut."""
        if self._settings.algorithm != "pvs" or self._trace is not None:
            return 0
        return self._settings.selectivity if self._position.is_predicted(self._end) else 0

    def _lines(self, depth: int, plies: int, value: int) -> Iterator[Info[int]]:
        """Search one iteration; yield its lines, each excluding the first moves of the previous ones."""
        roots = list(self._roots)
        outcome = plies == SOLVED and self._limits.goal == "wld"
        for rank in range(1, self._line_count + 1):
            search = self._search
            search.forget_depth()
            counts = search.probes, search.hits
            value = self._outcome(roots) if outcome else self._value(depth, plies, value, roots)
            if search.stopped:
                return
            line = search.line()
            if not line:  # every move loses: keep the previous iteration's move if possible
                line = [self._best.pv[0] if self._best is not None and self._best.pv[0] in roots else roots[0]]
            if plies == SOLVED and not (outcome or search.selectivity) and self._trace is None:
                line += self._rest_of_game(line, value)
            yield self._report(depth, rank, Score(value, OUTCOME_BOUNDS[value] if outcome else "exact"), line, counts)
            roots.remove(line[0])

    def _report(
        self, depth: int, rank: int, score: Score, line: list[int], counts: tuple[int, int] = (0, 0)
    ) -> Info[int]:
        """Return the report of a line; ``counts`` are the table's lookups and hits before it."""
        search = self._search
        return Info(
            depth=depth,
            seldepth=max(search.seldepth, len(line)),
            rank=rank,
            score=score,
            nodes=search.nodes,
            time=self._milliseconds(),
            hashfull=self._table.hashfull() if self._table is not None else 0,
            pv=tuple(line),
            probes=search.probes - counts[0],
            hits=search.hits - counts[1],
            confidence=CONFIDENCES[search.selectivity],
        )

    def _note_better_move(self, depth: int, value: int) -> None:
        """Save the last run's line, for an interrupted iteration, if its move is better than the last best move.

        The move is known to be better once the last best move has been searched at this depth. Searches to the end
        count only if complete, and so do searches with a node limit, because partial work is used only with a clock.
        """
        if self._best is None or depth == self._end or self._line_count > 1 or self._limits.nodes is not None:
            return
        last = self._best.pv[0]
        if last in self._search.finished_moves() and (line := self._search.line()) and line[0] != last:
            self._found = self._report(depth, 1, Score(value, "lower"), line)

    def _rest_of_game(self, line: list[int], value: int) -> list[int]:
        """Search for the best moves after ``line``, as the game's solver records none; return those found in time."""
        search, position = self._search, self._position
        rest: list[int] = []
        start = position.ply
        try:
            for move in line:
                search.play(move)
                value = -bound_for_child(value)
            while (moves := position.legal_moves()) and not search.stopped:
                search.run(SOLVED, value - 1, value + 1, moves, whole=False)
                if not search.stopped:
                    rest.append(search.line()[0])
                    search.play(rest[-1])
                    value = -bound_for_child(value)
        finally:
            while position.ply > start:
                search.undo()
        return rest

    def _value(self, depth: int, plies: int, guess: int, roots: list[int]) -> int:
        """Return the exact value of the root, searched with windows around ``guess``."""
        low, high = -INFINITE, INFINITE
        margin = ASPIRATION
        if self._settings.aspiration and depth >= ASPIRATION_FROM and self._settings.algorithm != "minimax":
            low, high = guess - margin, guess + margin
        while True:
            value = self._search.run(plies, low, high, roots, whole=len(roots) == len(self._legal))
            if low < value < high and not self._search.stopped:
                return value
            self._note_better_move(depth, value)
            if self._search.stopped:
                return value
            margin *= WIDENING
            if value <= low:
                low = max(-INFINITE, value - margin)
            else:
                high = min(INFINITE, value + margin)

    def _outcome(self, roots: list[int]) -> int:
        """Return the game's result with perfect play: 1 for a win, 0 for a draw, -1 for a loss.

        The window is wider than a null window, which records no line, because a win found after a draw needs a line.
        """
        value = self._search.run(SOLVED, -1, 2, roots, whole=len(roots) == len(self._legal))
        return max(-1, min(1, value))


def depths(
    limits: Limits,
    clock: TimeManager,
    end: int,
    nodes: Callable[[], int],
    one_sided: Callable[[], bool] = lambda: False,
    selective: bool = False,
    first: int = 1,
) -> Iterator[int]:
    """Yield the depth of each iteration from ``first``, then ``end`` as soon as the limits allow a search to the end.

    :param end: plies to the end of the game.
    :param nodes: returns the number of nodes searched so far.
    :param one_sided: returns whether further iterations cannot improve the result.
    :param selective: whether iterations are selective, so that the search to the end can start selectively.
    :param first: more than 1 if the table remembers earlier iterations; node counts then say nothing about costs.
    """
    within = SELECTIVE_WITHIN if selective else EXACT_WITHIN
    last = min(limits.depth or MAX_DEPTH, MAX_DEPTH, end)
    depth = first - 1
    while depth < last:
        skipped = end - depth
        near = last == end and depth >= first and skipped <= within
        known = depth >= max(EXACT_AFTER, first + 1) or not clock.limited
        if limits.goal != "move":
            exact = near or (depth >= EXACT_AFTER and one_sided())
        else:
            exact = near and known and clock.allows_end(skipped, nodes(), selective)
        if exact:
            depth = end
        else:
            depth += 1
        yield depth


def proven(value: int, depth: int) -> bool:
    """Return whether ``value`` is a win or a loss that no deeper search can change.

    A longer win or loss comes from quiescence, which does not examine all moves.
    """
    return abs(value) > DECISIVE and WIN - abs(value) <= depth
