"""Iterative deepening: search one ply deeper again and again, each iteration guided by the one before.

The first iteration is as deep as the table already knows the position, mostly from the search for the move before.
Each iteration is searched in an aspiration window around the last value (Baudet 1978), widened until the value lies
inside. The table and the orderings make this cheaper than one search of the last depth alone (Slate and Atkin 1977).
Near the end of the game the exact search follows at once (:func:`depths`), and a proven win or loss ends it all.
A search with the goal ``solve`` or ``wld`` goes on to the end of the game, whatever time that is likely to take; with
``wld`` its last iteration asks only on which side of a draw the value lies.
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

ASPIRATION = 150  # half the width of the first window
ASPIRATION_FROM = 4  # iterations before this are too cheap for a window, and their values differ too much
WIDENING = 4
OUTCOME_BOUNDS: dict[int, Bound] = {1: "lower", 0: "exact", -1: "upper"}  # the keys are a win, a draw and a loss
# The plies that the exact search skips at most. Measured where 14 to 22 plies are left: 12 is quickest, and
# takes about a tenth of the time of all iterations; the more are skipped, the worse the order of moves is.
EXACT_WITHIN = 12
# With a limit, the exact search is not tried before this iteration: if the limit stops it, the answer is that of the
# last iteration, and the few nodes of the first ones say too little about the cost of the exact search.
EXACT_AFTER = 6
# Selective iterations are cheap, so more of them come before the search to the end of the game. That is selective first
# where this many plies lie before the reach of the game's solver.
SELECTIVE_WITHIN = 10
SELECTIVE_BEYOND = 3
RUNG = 2  # the selectivity falls by this from one search to the end of the game to the next


class Deepening(RootSearch):
    """One search, from the first iteration to the answer.

    :param position: searched in place and restored; nothing else may use it meanwhile.
    :param table: the transposition table, or None.
    :param settings: how to search.
    :param limits: when to stop.
    :param clock: seconds from any origin.
    :param trace: is told each step of each iteration.
    :raises LimitsError: if the search is to be traced, and its tree is too large for that, or if it is to reach the end
        of the game, and that is too far away.
    """

    _search: Team
    _recursion: type[Search] = Search
    _dividable = True  # among threads

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
            came = "which this game does not bound" if self._end >= UNKNOWN_REMAINING else f"not {self._end}"
            raise LimitsError(f"{limits.goal}: must be at most {MAX_DEPTH} moves to the end of the game, {came}")
        self._table = table
        self._trace = trace
        self._found: Info | None = None  # the answer if the next iteration is cut off, where it is not the last one's
        self._line_count = min(settings.multipv, len(self._roots))
        self._search = Team(self._make_searches())

    def _make_searches(self) -> list[Search]:
        """Return the recursion, traced if that is wanted, and one more for each further thread that is of use."""
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
        """Return :meth:`_expired` without a reference to this object, which holds the recursion.

        So the recursion, which has half a megabyte, is freed with this object and not at some later time.
        """
        own = weakref.ref(self)

        def expired() -> bool:
            deepening = own()
            return deepening is None or deepening._expired()

        return expired

    def _expired(self) -> bool:
        """Return whether time is up. It never is during the first iteration, unless the game is slow."""
        return self._may_stop and self._clock.expired()

    def iterations(self) -> Iterator[Info]:
        """Search, and yield a report for each line of each iteration that was completed.

        :raises ThreadError: after the last, if fewer threads searched than were asked for.
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
        """Return the depth of the first iteration, and a guess of its value: 1 and 0 where the table knows no more.

        What it knows is the answer if that iteration is cut off. A bound from above says nothing of its move.
        """
        last = min(self._limits.depth or MAX_DEPTH, MAX_DEPTH, self._end - 1)
        if self._trace is None and self._line_count == 1 and len(self._roots) == len(self._legal):
            self._search.choose_selectivity(self._selectivity())
            depth, score, bound, move = self._search.first.remembered()
            if ASPIRATION_FROM <= depth <= last and bound != UPPER and move in self._roots:
                found = Score(score, "exact" if bound == EXACT else "lower")
                self._best = self._found = self._report(depth, 1, found, [move])
                self._obey_limits()
                self._clock.remembered(move)
                return depth, score
        return 1, 0

    def _plan(self, first: int) -> Iterator[tuple[int, int]]:
        """Yield depth and selectivity of each iteration; those to the end of the game are ever less selective.

        A limit may cut them off before the exact one, so they come at rising confidence. Without one, a single
        selective search is quickest: it leaves the moves to try first, and a good guess of the value.
        """
        selectivity = self._selectivity()
        limits, clock, end = self._limits, self._clock, self._end
        for depth in depths(limits, clock, end, self._nodes, self._is_one_sided, selectivity > 0, first):
            if depth < self._end:
                # ProbCut begins below the root: a shallower search must predict one of the root's children.
                yield depth, selectivity if self._position.is_predicted(depth - 1) else 0
            else:
                most = selectivity if depth - self._position.exact_reach >= SELECTIVE_BEYOND else 0
                rungs = range(most, 0, -RUNG)
                yield from ((depth, each) for each in (rungs if self._clock.limited else rungs[:1]))
                yield depth, 0

    def _is_one_sided(self) -> bool:
        """Tell whether the last value is within a point of the largest: no evaluation says more, only the end does."""
        return self._best is not None and abs(self._best.score.value) >= self._position.largest_score - 100

    def _selectivity(self) -> int:
        """Return the selectivity of the search: 0 where it has no null windows, is traced, or knows no parameters."""
        if self._settings.algorithm != "pvs" or self._trace is not None:
            return 0
        return self._settings.selectivity if self._position.is_predicted(self._end) else 0

    def _lines(self, depth: int, plies: int, value: int) -> Iterator[Info]:
        """Search one iteration; yield its lines, each without the first moves of those before it."""
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
            if not line:  # every move was found to lose: that of the iteration before, if it is among them
                line = [self._best.pv[0] if self._best is not None and self._best.pv[0] in roots else roots[0]]
            if plies == SOLVED and not (outcome or search.selectivity) and self._trace is None:
                line += self._rest_of_game(line, value)
            yield self._report(depth, rank, Score(value, OUTCOME_BOUNDS[value] if outcome else "exact"), line, counts)
            roots.remove(line[0])

    def _report(self, depth: int, rank: int, score: Score, line: list[int], counts: tuple[int, int] = (0, 0)) -> Info:
        """Return the report of a line; ``counts`` are the look-ups and finds of the table before it."""
        search = self._search
        return Info(
            depth=depth,
            seldepth=max(search.seldepth, len(line)),
            multipv=rank,
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
        """Keep the line of a run as the answer if its iteration is cut off, and its move is better than the last one.

        It is, by this depth, if the last one has been searched again before. A search to the end of the game answers
        whole or not at all, and so does one with a limit of nodes: only with a clock is what time was spent on kept.
        """
        if self._best is None or depth == self._end or self._line_count > 1 or self._limits.nodes is not None:
            return
        last = self._best.pv[0]
        if last in self._search.finished_moves() and (line := self._search.line()) and line[0] != last:
            self._found = self._report(depth, 1, Score(value, "lower"), line)

    def _rest_of_game(self, line: list[int], value: int) -> list[int]:
        """Return best play from the end of ``line`` on, where the game's own solver took over, if time allows."""
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
        """Return the exact value of the root, searched in windows around ``guess``."""
        low, high = -INFINITE, INFINITE
        margin = ASPIRATION
        if depth >= ASPIRATION_FROM and self._settings.algorithm != "minimax":
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
        """Return 1 if the root is won, -1 if it is lost, 0 if it is a draw at the end of the game.

        The window stays open above a draw: in a null window no line is kept, and a win found after a draw needs one.
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
    """Yield the depth of each iteration from ``first`` on, and ``end`` as soon as the limits allow a search to there.

    :param end: the plies to the end of the game.
    :param nodes: tells how many nodes have been searched by now.
    :param one_sided: tells whether more iterations would say no more than the last.
    :param selective: whether the iterations are, so that the search to the end may begin so.
    :param first: more than 1 if the table remembers that iteration; its nodes say nothing of what a search costs.
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
    """Tell whether ``value`` is a win or a loss that no deeper search changes.

    A longer one comes from quiescence, which does not look at all moves.
    """
    return abs(value) > DECISIVE and WIN - abs(value) <= depth
