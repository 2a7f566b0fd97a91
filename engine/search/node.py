"""The recursion of the search: alpha-beta in negamax form, with parameters for all variants.

One function searches the root, the principal variation, null windows and quiescence nodes:

- the root is ply 0, where the moves can be restricted and the table gives no values;
- a null window is a call with ``beta == alpha + 1``;
- quiescence is a call with ``depth <= 0``;
- minimax is alpha-beta in which children get an open window;
- a search to the end of the game has the depth :data:`SOLVED`, which moves do not reduce.

Alpha-beta: Knuth and Moore 1975. Fail-soft: Fishburn 1983. Principal variation search: Marsland and Campbell 1982.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from zlib import crc32

import cython
from cython.cimports.libc.stdlib import free, malloc
from cython.cimports.quietmove.engine.games.base import DECISIVE, MAX_MOVES, MAX_PLY, WIN
from cython.cimports.quietmove.engine.search.node import (
    ALPHABETA,
    DISTANCE,
    INFINITE,
    MINIMAX,
    MOVES,
    OVER,
    PVS,
    SHARED_REMAINING,
    SOLVED,
    SOLVER,
    STATIC,
    TABLE,
)
from cython.cimports.quietmove.engine.search.ordering import NO_MOVE
from cython.cimports.quietmove.engine.search.table import (
    EXACT,
    LOWER,
    UPPER,
    bound_of,
    depth_of,
    move_of,
    score_of,
    selectivity_of,
)

from quietmove.engine.games.base import Position
from quietmove.engine.search.limited import LimitedSearch
from quietmove.engine.search.ordering import Picker
from quietmove.engine.search.table import Table
from quietmove.engine.values import Settings

__all__ = [
    "ALGORITHMS",
    "CONFIDENCES",
    "INFINITE",
    "MAX_DEPTH",
    "SHARED_REMAINING",
    "SOLVED",
    "Search",
    "bound_for_child",
    "score_from_child",
]

ALGORITHMS = ("minimax", "alphabeta", "pvs")
MAX_DEPTH = 200  # maximum depth of an iteration
# The table is not used below this depth, because a lookup costs more than the static evaluations that it saves.
TABLE_DEPTH = cython.declare(cython.int, 2)
# An exact node looks up the positions after its moves in the table if at least this many plies remain.
REFUTED_FROM = cython.declare(cython.int, 14)
# A team's searches divide the moves of nodes from this depth or, in a search to the end, from SHARED_REMAINING plies.
SHARED_FROM = cython.declare(cython.int, 4)
# Both tuples are indexed by selectivity. ProbCut margins are in hundredths of the errors' standard deviation; the
# percentage is the probability mass within the margin, if errors are normally distributed.
CONFIDENCES = (100, 99, 98, 95, 87, 73)
MARGINS = (0, 258, 233, 196, 151, 110)
# A table can outlive a change of settings, so searches with and without quiescence, or with different evaluators, use
# different keys.
QUIESCENCE_KEY = cython.declare(cython.ulonglong, 0xC2B2AE3D27D4EB4F)


def score_from_child(score: cython.int) -> cython.int:
    """Convert a child's score, already negated, to its parent's: there, a win or a loss is one ply further away."""
    if score > DECISIVE:
        return score - 1
    return score + 1 if score < -DECISIVE else score


def bound_for_child(bound: cython.int) -> cython.int:
    """Return the bound, to be negated, that a child must reach for its parent to reach ``bound``."""
    if bound >= DECISIVE:
        return bound + 1
    return bound - 1 if bound < -DECISIVE else bound


class Search(LimitedSearch):
    """A search of one position, with its state.

    :param position: searched in place and restored; it keeps the evaluator selected by the settings.
    :param table: the transposition table, or None.
    :param settings: the search settings.
    :param expired: called at regular intervals to check whether time is up, or None for no clock.
    :param now: the clock used by ``expired``, in seconds from an arbitrary origin.
    :raises OptionError: if the game has no such evaluator.
    :ivar selectivity: an index into :data:`CONFIDENCES`; 0, the default, means plain alpha-beta.
    :ivar nodes: calls of ``make`` so far, including those of the game's own solver.
    :ivar node_limit: the maximum number of nodes, of all threads together; the search stops before exceeding it.
    :ivar stopped: can be set from any thread to end the recursion immediately; the score returned is then invalid.
    :ivar shared: whether other searches work on the same root with the same table.
    """

    pv_length: list[int]

    def __cinit__(self) -> None:
        """Allocate memory for all lines without clearing it, which would take longer than a one-ply search."""
        self.pv = cython.cast(cython.p_int, malloc(MAX_PLY * MAX_PLY * cython.sizeof(cython.int)))
        if self.pv == cython.NULL:
            raise MemoryError

    def __dealloc__(self) -> None:
        free(self.pv)

    def __init__(
        self,
        position: Position,
        table: Table | None,
        settings: Settings,
        expired: Callable[[], bool] | None,
        now: Callable[[], float] = time.perf_counter,
    ) -> None:
        super().__init__(position, expired, now)
        position.forget()
        position.choose_evaluator(settings.evaluation, settings.evaluation_file)
        self.table = table
        self.picker = Picker(position, settings.ordering)
        self.algorithm = ALGORITHMS.index(settings.algorithm)
        self.quiescence = settings.quiescence
        self.leaves_are_static = type(self) is Search and not settings.quiescence
        self.most = min(WIN - 1, position.largest_score)  # a win with the next move, or the whole board
        self.choose_selectivity(0)
        evaluator = f"{settings.evaluation} {settings.evaluation_file}".strip()
        self.salt = (QUIESCENCE_KEY if settings.quiescence else 0) ^ crc32(evaluator.encode()) << 32
        self.shared = False
        self.seldepth = 0
        self.probes = self.hits = self.null_windows = self.researches = 0

    def choose_selectivity(self, selectivity: int) -> None:
        """Set the selectivity of later searches, an index into :data:`CONFIDENCES`."""
        self.selectivity = selectivity
        self.margin = MARGINS[selectivity]
        self.solver_reach = self.position.selective_reach if selectivity else self.position.exact_reach

    def run(self, depth: int, alpha: int, beta: int, root_moves: Sequence[int], whole: bool) -> int:
        """Search the root and return its fail-soft value, which is invalid if ``stopped`` is set.

        :param depth: plies, or :data:`SOLVED`.
        :param root_moves: the moves to consider, all legal.
        :param whole: whether these are all legal moves, so that the result may be stored in the table.
        :raises BaseException: whatever ``expired`` or the position raised.
        """
        self.root_count = len(root_moves)
        self.root_whole = whole
        for i in range(self.root_count):
            self.picker.moves[i] = root_moves[i]
        plies: cython.int = depth
        low: cython.int = alpha
        high: cython.int = beta
        value: cython.int
        if self.position.slow:  # its methods need the interpreter lock, and holding it throughout is faster
            value = self.node(plies, low, high, 0)
        else:
            with cython.nogil:
                value = self.node(plies, low, high, 0)
        self.raise_failure()
        return value

    def remembered(self) -> tuple[int, int, int, int]:
        """Return the table's entry for the root, unless it was searched more selectively than this search.

        :return: depth, score, bound and move; the depth is 0 if there is no entry.
        """
        data: cython.ulonglong = self.table.probe(self.position.key ^ self.salt) if self.table is not None else 0
        if data == 0 or selectivity_of(data) > self.selectivity:
            return 0, 0, 0, NO_MOVE
        return depth_of(data), score_of(data), bound_of(data), move_of(data)

    def line(self) -> list[int]:
        """Return the principal variation of the last run, or [] if it failed low."""
        return [self.pv[i] for i in range(self.pv_length[0])]

    def finished_moves(self) -> list[int]:
        """Return the root moves that the last run completed before it was interrupted."""
        return [self.picker.moves[i] for i in range(self.picker.start[0], self.picker.cursor[0] - 1)]

    def node(self, depth: cython.int, alpha: cython.int, beta: cython.int, ply: cython.int) -> cython.int:
        """Return the value of the position, fail-soft, for ``alpha < beta``.

        For the result v and the true value t at this depth: ``v <= alpha`` means ``t <= v``; ``alpha < v < beta`` means
        ``t == v``; ``v >= beta`` means ``t >= v``. The table never changes the value, only the time it takes: an entry
        is used only if its depth equals the requested depth, because a forced pass, which costs a ply, can lead to the
        same board at two depths. All this holds for selectivity 0; with any other it is only likely. Once ``stopped``,
        the result is invalid and nothing is stored.
        """
        floor: cython.int = alpha
        enough: cython.int = beta  # the score at which to stop searching moves
        best: cython.int = -INFINITE
        best_move: cython.int = NO_MOVE
        table_move: cython.int = NO_MOVE
        count: cython.int
        score: cython.int
        static: cython.int = 0
        shallow: cython.int = -1
        plies: cython.int = 0
        self.pv_length[ply] = 0
        if ply > self.seldepth:
            self.seldepth = ply

        # 1. Leave the last moves of a game to its own solver.
        if ply > 0 and self.is_left_to_solver(depth):
            self.source = SOLVER if self.position.remaining() else OVER
            return self.position.solve(alpha, beta, self)

        if depth <= 0 or not self.picker.has_room(ply):
            # 2. At the horizon, return the static evaluation, unless quiescence finds noisy moves.
            best = self.position.evaluate()
            self.source = STATIC
            if not self.quiescence or not self.picker.has_room(ply):
                return best
            count = self.position.generate_noisy(self.picker.moves, self.picker.start[ply])
            if count < 0:
                best = -INFINITE
                count = 1
            elif count == 0 or best >= beta:
                return best
            elif best > alpha:
                alpha = best
        else:
            # 3. The table may contain the value, and often a good move. Compute what step 4 needs first, while memory
            # fetches the entry.
            if self.selectivity and ply > 0 and beta - alpha == 1:
                plies = self.position.remaining() if depth == SOLVED else depth
                shallow = self.position.shallow_depth(plies)
                if shallow >= 0:
                    static = self.position.evaluate()
            if self.table is not None and depth >= TABLE_DEPTH:
                data: cython.ulonglong = self.table.probe(self.position.key ^ self.salt)
                self.probes += 1
                if data != 0:
                    self.hits += 1
                    table_move = move_of(data)
                    if ply > 0 and self.answers(data, depth, alpha, beta):
                        self.source = TABLE
                        return score_of(data)

            # 4. A shallow search may show that the value is very likely outside a null window.
            if shallow >= 0:
                score = self.probable_bound(plies, shallow, static, alpha, beta, ply)
                if score != INFINITE or self.stopped:
                    return score  # the source is the shallow search's; traced searches are never selective

            # 5. No legal move: the game is over.
            count = self.root_count if ply == 0 else self.position.generate(self.picker.moves, self.picker.start[ply])
            if count == 0:
                self.source = OVER
                return self.position.final_score()

            # 6. No loss is faster than the reply to the next move, and no win than that move (mate-distance pruning).
            if beta <= 2 - WIN and ply > 0:
                self.source = DISTANCE
                return 2 - WIN
            if self.algorithm != MINIMAX:
                enough = min(beta, self.most)

            # 7. The table may contain a move that refutes the position.
            if depth == SOLVED and beta - alpha == 1 and ply > 0:
                score = self.known_refutation(beta, ply, count)
                if score >= beta:
                    self.source = TABLE
                    return score

        # 8. Try the moves, best guess first, until one refutes the position; postpone those that others are searching.
        self.picker.begin(ply, count, depth, depth == SOLVED, table_move)
        divided: cython.bint = False
        if self.shared:
            divided = self.position.remaining() >= SHARED_REMAINING if depth == SOLVED else depth >= SHARED_FROM
        while True:
            move: cython.int = self.picker.next_move(ply)
            if move == NO_MOVE:
                break
            if self.nodes >= self.next_poll:
                self.poll()
            if self.stopped:
                return best
            self.nodes += 1
            self.position.make(move)
            if divided and not self.claim_move(ply, move, best_move == NO_MOVE):
                self.position.unmake()
                continue
            if depth == 1 and self.leaves_are_static:
                score = self.leaf(ply + 1)
            else:
                score = self.child(depth if depth == SOLVED else depth - 1, alpha, beta, ply + 1, best_move == NO_MOVE)
            if divided:
                self.release_move()
            self.position.unmake()
            if self.stopped:
                return best
            if divided and ply > 0 and self.is_finished(depth, alpha, beta):
                return self.finished
            if score > best:
                best = score
                best_move = move
                if score > alpha:
                    if beta - alpha > 1:
                        self.extend_line(ply, move)
                    alpha = score
                    if alpha >= enough:
                        if depth > 0:
                            self.picker.reward(ply, move, depth)
                        break

        # 9. Store the result in the table.
        if self.table is not None and depth >= TABLE_DEPTH and (ply > 0 or self.root_whole):
            bound: cython.int = LOWER if best >= beta else EXACT if best > floor else UPPER
            self.table.store(self.position.key ^ self.salt, depth, bound, best, best_move, self.selectivity)
        self.source = MOVES
        return best

    def leaf(self, ply: cython.int) -> cython.int:
        """Return the static value of the position just reached, from the point of view of the side that moved.

        Equivalent to :meth:`child`, but without its calls, because half the nodes of a search are leaves.
        """
        self.pv_length[ply] = 0
        if ply > self.seldepth:
            self.seldepth = ply
        self.source = STATIC
        return score_from_child(-self.position.evaluate())

    def child(
        self, depth: cython.int, alpha: cython.int, beta: cython.int, ply: cython.int, first: cython.bint
    ) -> cython.int:
        """Return the fail-soft value of the position just reached, from the point of view of the side that moved.

        Principal variation search expects the first move to be best, so it checks with a null window only whether a
        later move is better; if it is and the result is below beta, the move is searched again for its exact value.
        """
        if self.table is not None and depth >= TABLE_DEPTH and not self.is_left_to_solver(depth):
            self.table.prefetch(self.position.key ^ self.salt)
        if self.algorithm == MINIMAX:
            return score_from_child(-self.node(depth, -INFINITE, INFINITE, ply))
        low: cython.int = -bound_for_child(beta)
        high: cython.int = -bound_for_child(alpha)
        if first or self.algorithm == ALPHABETA or beta - alpha == 1:
            return score_from_child(-self.node(depth, low, high, ply))
        self.null_windows += 1
        score: cython.int = score_from_child(-self.node(depth, -bound_for_child(alpha + 1), high, ply))
        if alpha < score < beta and not self.stopped:
            self.researches += 1
            score = score_from_child(-self.node(depth, low, high, ply))
        return score

    def is_left_to_solver(self, depth: cython.int) -> cython.bint:
        """Return whether the game's own solver searches the current position to the end."""
        return depth == SOLVED and self.position.remaining() <= self.solver_reach

    def share(self, counts: memoryview, place: int, first: Position) -> None:
        """Join a search with several threads.

        :param counts: the node counts of all threads.
        :param place: the index of this search in ``counts``.
        :param first: the position of the first thread, whose solver's table all threads use.
        """
        self.position.share(first, place)
        self.shared = True
        self.counts = counts
        self.size = len(counts)
        self.place = place

    def counted(self) -> cython.ulonglong:
        if not self.shared:
            return self.nodes
        self.counts[self.place] = self.nodes
        total: cython.ulonglong = 0
        i: cython.int
        for i in range(self.size):
            total += self.counts[i]
        return total

    def claim_move(self, ply: cython.int, move: cython.int, first: cython.bint) -> cython.bint:
        """Claim the move just made and return True; if another search is trying it, postpone it and return False.

        When its turn comes, the table most likely contains its value; if not, both search it together. The first move
        is always searched together, since it determines how much the others must be searched (ABDADA, Weill 1996).
        """
        if self.table is not None:
            key: cython.ulonglong = self.position.key ^ self.salt
            if not first and self.table.is_entered(key) and self.picker.postpone(ply, move):
                return False
            self.table.enter(key)
        return True

    def release_move(self) -> None:
        """Release the move just made, so that other searches no longer postpone it."""
        if self.table is not None:
            self.table.leave(self.position.key ^ self.salt)

    def is_finished(self, depth: cython.int, alpha: cython.int, beta: cython.int) -> cython.bint:
        """Return whether another search has finished this node in the meantime; its value is then in ``finished``."""
        if self.table is None:
            return False
        data: cython.ulonglong = self.table.probe(self.position.key ^ self.salt)
        if data == 0 or not self.answers(data, depth, alpha, beta):
            return False
        self.source = TABLE
        self.finished = score_of(data)
        return True

    def probable_bound(
        self,
        plies: cython.int,
        shallow: cython.int,
        static: cython.int,
        alpha: cython.int,
        beta: cython.int,
        ply: cython.int,
    ) -> cython.int:
        """Return alpha or beta if the value is very likely beyond it, else :data:`INFINITE` (ProbCut, Buro 1995).

        According to the game, a search of ``shallow`` plies predicts one of ``plies`` with a known error. That search
        checks only whether its value is outside the window by the margin for the selectivity. It is made only if the
        static value is outside the window by its own standard deviation, which avoids most unsuccessful shallow
        searches and most wrong cuts. If few plies remain, the static value itself is the prediction.
        """
        margin: cython.int = self.position.shallow_error(plies, shallow) * self.margin // 100
        if shallow == 0:
            return beta if static >= beta + margin else alpha if static <= alpha - margin else INFINITE
        error: cython.int = self.position.shallow_error(plies, 0)
        bound: cython.int
        if static >= beta + error:
            bound = beta + margin
            return beta if self.node(shallow, bound - 1, bound, ply) >= bound else INFINITE
        if static <= alpha - error:
            bound = alpha - margin
            return alpha if self.node(shallow, bound, bound + 1, ply) <= bound else INFINITE
        return INFINITE

    def known_refutation(self, beta: cython.int, ply: cython.int, count: cython.int) -> cython.int:
        """Return the table's value of a move that reaches ``beta`` in a search to the end, or ``-INFINITE``.

        Enhanced transposition cutoff (Plaat 1996). Each lookup costs a move, so it is not used if few plies remain. All
        entries are requested before the first is read, so that memory fetches them at the same time.
        """
        if self.table is None or self.position.remaining() < REFUTED_FROM:
            return -INFINITE
        keys = cython.declare(cython.ulonglong[MAX_MOVES])
        low: cython.int = -bound_for_child(beta)
        i: cython.int
        start: cython.int = self.picker.start[ply]
        for i in range(count):
            self.position.make(self.picker.moves[start + i])
            keys[i] = self.position.key ^ self.salt
            self.table.prefetch(keys[i])
            self.position.unmake()
        for i in range(count):
            data: cython.ulonglong = self.table.probe(keys[i])
            if data != 0 and self.answers(data, SOLVED, low, low + 1) and score_of(data) <= low:
                return score_from_child(-score_of(data))
        return -INFINITE

    def answers(self, data: cython.ulonglong, depth: cython.int, alpha: cython.int, beta: cython.int) -> cython.bint:
        """Return whether a table entry settles the node.

        It must not come from a more selective search. A selective search accepts any entry that is deep enough, any
        other search only entries of its own depth. Principal variation search ignores entries in open windows, so that
        its line is complete.
        """
        if selectivity_of(data) > self.selectivity:
            return False
        if depth_of(data) < depth if self.selectivity else depth_of(data) != depth:
            return False
        if self.algorithm == PVS and beta - alpha > 1:
            return False
        bound: cython.int = bound_of(data)
        if bound == EXACT:
            return True
        return score_of(data) >= beta if bound == LOWER else score_of(data) <= alpha

    def extend_line(self, ply: cython.int, move: cython.int) -> None:
        """Make ``move`` and the line below it the principal variation at ``ply``."""
        row: cython.int = ply * MAX_PLY
        below: cython.int = row + MAX_PLY
        length: cython.int = self.pv_length[ply + 1]
        self.pv[row] = move
        i: cython.int
        for i in range(length):
            self.pv[row + 1 + i] = self.pv[below + i]
        self.pv_length[ply] = length + 1
