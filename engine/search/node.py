"""The recursion: alpha-beta in its negamax form, with everything else as a parameter of it.

One function is the root, the principal variation, the null window and the quiescence search:

- the root is ply 0, where the moves may be restricted and the table never answers;
- a null window is a call with ``beta == alpha + 1``;
- quiescence is a call with ``depth <= 0``;
- minimax is alpha-beta whose children get an open window;
- a search to the end of the game has the depth :data:`SOLVED`, which no move lessens.

Alpha-beta: Knuth and Moore 1975. Fail-soft: Fishburn 1983. Principal variation search: Marsland and Campbell 1982.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from zlib import crc32

import cython
from cython.cimports.libc.stdlib import free, malloc
from cython.cimports.quietmove.engine.games.base import DECISIVE, MAX_PLY, WIN
from cython.cimports.quietmove.engine.search.node import (
    ALPHABETA,
    DISTANCE,
    INFINITE,
    MINIMAX,
    MOVES,
    OVER,
    PVS,
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
    "SOLVED",
    "Search",
    "bound_for_child",
    "score_from_child",
]

ALGORITHMS = ("minimax", "alphabeta", "pvs")
MAX_DEPTH = 200  # no iteration is deeper
# The table is not used below this depth: a look-up costs more than the static values that it saves.
TABLE_DEPTH = cython.declare(cython.int, 2)
# An exact node looks at the table behind each move where so many plies remain.
REFUTED_FROM = cython.declare(cython.int, 14)
# The searches of a team divide the moves of a node of this depth; in a search to the end, where so many plies remain.
SHARED_FROM = cython.declare(cython.int, 4)
SHARED_REMAINING = cython.declare(cython.int, 14)
# A selectivity is a place in both rows. A margin of ProbCut is in hundredths of the errors' standard deviation; if the
# errors are normally distributed, the percentage lies within the margin.
CONFIDENCES = (100, 99, 98, 95, 87, 73)
MARGINS = (0, 258, 233, 196, 151, 110)
# Values with quiescence are kept apart from those without, and those of one evaluator from those of another: a table
# may outlive a change of the setting.
QUIESCENCE_KEY = cython.declare(cython.ulonglong, 0xC2B2AE3D27D4EB4F)


def score_from_child(score: cython.int) -> cython.int:
    """Return a child's score, negated already, as its parent has it: a win or a loss is one ply farther away."""
    if score > DECISIVE:
        return score - 1
    return score + 1 if score < -DECISIVE else score


def bound_for_child(bound: cython.int) -> cython.int:
    """Return the bound, to be negated, that a child must reach for its parent to reach ``bound``."""
    if bound >= DECISIVE:
        return bound + 1
    return bound - 1 if bound < -DECISIVE else bound


class Search(LimitedSearch):
    """The state of one search: what the recursion reads and leaves behind.

    :param position: searched in place and restored; it keeps the evaluator that the settings choose.
    :param table: the transposition table, or None.
    :param settings: how to search.
    :param expired: asked every few thousand nodes whether time is up; None to look at no clock.
    :param now: the clock that ``expired`` looks at, in seconds from any origin.
    :raises OptionError: if the game has no such evaluator.
    :ivar selectivity: a place in :data:`CONFIDENCES`; 0, the default, searches all that alpha-beta does.
    :ivar nodes: calls of ``make`` so far, those of the game's own solver included.
    :ivar node_limit: the search stops before it exceeds this; of several threads, when all together have.
    :ivar stopped: set from any thread, it ends the recursion at once; the score returned is then worthless.
    :ivar shared: whether others search the same root with the same table at the same time.
    """

    pv_length: list[int]

    def __cinit__(self) -> None:
        """Take memory for the lines of all plies. It is not cleared: that would take longer than a search of one."""
        self.pv = cython.cast(cython.p_int, malloc(MAX_PLY * MAX_PLY * cython.sizeof(cython.int)))
        if self.pv == cython.NULL:
            raise MemoryError

    def __dealloc__(self) -> None:
        """Give the memory back."""
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
        self.most = min(WIN - 1, position.largest_score)  # a win by the next move, or the whole board
        self.choose_selectivity(0)
        evaluator = f"{settings.evaluation} {settings.evaluation_file}".strip()
        self.salt = (QUIESCENCE_KEY if settings.quiescence else 0) ^ crc32(evaluator.encode()) << 32
        self.shared = False
        self.seldepth = 0
        self.probes = self.hits = self.null_windows = self.researches = 0

    def choose_selectivity(self, selectivity: int) -> None:
        """Search by this selectivity from now on, a place in :data:`CONFIDENCES`."""
        self.selectivity = selectivity
        self.margin = MARGINS[selectivity]
        self.solver_reach = self.position.selective_reach if selectivity else self.position.exact_reach

    def run(self, depth: int, alpha: int, beta: int, root_moves: Sequence[int], whole: bool) -> int:
        """Search the root and return its value, fail-soft; worthless once ``stopped``.

        :param depth: plies, or :data:`SOLVED`.
        :param root_moves: the moves to consider, all of them legal.
        :param whole: whether these are all the legal moves, so that the table may keep the result.
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
        if self.position.slow:  # each of its methods needs the lock: it is quicker to hold it throughout
            value = self.node(plies, low, high, 0)
        else:
            with cython.nogil:
                value = self.node(plies, low, high, 0)
        self.raise_failure()
        return value

    def remembered(self) -> tuple[int, int, int, int]:
        """Return what the table has on the root, if no more was left out than this search leaves out.

        :return: depth, score, bound and move; a depth of 0 if it has nothing.
        """
        data: cython.ulonglong = self.table.probe(self.position.key ^ self.salt) if self.table is not None else 0
        if data == 0 or selectivity_of(data) > self.selectivity:
            return 0, 0, 0, NO_MOVE
        return depth_of(data), score_of(data), bound_of(data), move_of(data)

    def line(self) -> list[int]:
        """Return the principal variation of the last run; empty if it failed low."""
        return [self.pv[i] for i in range(self.pv_length[0])]

    def finished_moves(self) -> list[int]:
        """Return the moves of the root that the last run has searched, if it was cut off."""
        return [self.picker.moves[i] for i in range(self.picker.start[0], self.picker.cursor[0] - 1)]

    def node(self, depth: cython.int, alpha: cython.int, beta: cython.int, ply: cython.int) -> cython.int:
        """Return the value of the position, fail-soft, for ``alpha < beta``.

        The result v and the true value t at this depth: ``v <= alpha`` says ``t <= v``; ``alpha < v < beta`` says
        ``t == v``; ``v >= beta`` says ``t >= v``. The table changes the time this takes and never the value: an entry
        answers only where its depth is the depth asked for, since a forced pass, which costs a ply, can bring one board
        at two depths. All this holds for selectivity 0; at any other it is likely. Once ``stopped`` the result is
        worthless and nothing is stored.
        """
        floor: cython.int = alpha
        enough: cython.int = beta  # the score that ends the search of the moves
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

        # 1. The last moves of a game are left to its own solver.
        if depth == SOLVED and ply > 0 and self.position.remaining() <= self.solver_reach:
            self.source = SOLVER if self.position.remaining() else OVER
            return self.position.solve(alpha, beta, self)

        if depth <= 0 or not self.picker.has_room(ply):
            # 2. At the horizon the static value stands, unless quiescence has noisy moves to follow.
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
            # 3. The table may have the value, and often has a good move. What step 4 needs is computed first, while
            # memory fetches the entry.
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

            # 4. A shallow search may show that the value very likely lies outside a null window.
            if shallow >= 0:
                score = self.probable_bound(plies, shallow, static, alpha, beta, ply)
                if score != INFINITE or self.stopped:
                    return score  # the source is that of the shallow search; a traced search is not selective

            # 5. No move at all: the game is over.
            count = self.root_count if ply == 0 else self.position.generate(self.picker.moves, self.picker.start[ply])
            if count == 0:
                self.source = OVER
                return self.position.final_score()

            # 6. No loss is quicker than the reply to the next move, no win than that move (mate-distance pruning).
            if beta <= 2 - WIN and ply > 0:
                self.source = DISTANCE
                return 2 - WIN
            if self.algorithm != MINIMAX:
                enough = min(beta, self.most)

            # 7. The table may know a move that refutes the position.
            if depth == SOLVED and beta - alpha == 1 and ply > 0:
                score = self.known_refutation(beta, ply, count)
                if score >= beta:
                    self.source = TABLE
                    return score

        # 8. Try the moves, best guess first, until one refutes the position; last those that others try just now.
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
            if divided and not self.take(ply, move, best_move == NO_MOVE):
                self.position.unmake()
                continue
            if depth == 1 and self.leaves_are_static:
                score = self.leaf(ply + 1)
            else:
                score = self.child(depth if depth == SOLVED else depth - 1, alpha, beta, ply + 1, best_move == NO_MOVE)
            if divided:
                self.leave()
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
        """Return the static value of the position just reached, from the view of the side that moved.

        It is what :meth:`child` finds there, without its calls: half the nodes of a search are leaves.
        """
        self.pv_length[ply] = 0
        if ply > self.seldepth:
            self.seldepth = ply
        self.source = STATIC
        return score_from_child(-self.position.evaluate())

    def child(
        self, depth: cython.int, alpha: cython.int, beta: cython.int, ply: cython.int, first: cython.bint
    ) -> cython.int:
        """Return the value of the position just reached from the view of the side that moved, fail-soft.

        Principal variation search expects the first move to be the best, so it only asks of each later one, by a null
        window, whether it is better; where the answer is yes and there is room up to beta, it asks how much.
        """
        if self.table is not None and depth >= TABLE_DEPTH:
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

    def share(self, counts: memoryview, place: int) -> None:
        """Take part in a search of several threads.

        :param counts: the nodes of each of them.
        :param place: that of this search in ``counts``.
        """
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

    def take(self, ply: cython.int, move: cython.int, first: cython.bint) -> cython.bint:
        """Take the move just made for this search, unless another one is trying it: then put it off, and return False.

        When its turn comes, the table most likely knows its value; if not, both search it together. So they do with the
        first move of a node, which says how much the others have to be searched (ABDADA, Weill 1996).
        """
        if self.table is not None:
            key: cython.ulonglong = self.position.key ^ self.salt
            if not first and self.table.is_entered(key) and self.picker.put_off(ply, move):
                return False
            self.table.enter(key)
        return True

    def leave(self) -> None:
        """Tell the other searches that this one has tried the move just made."""
        if self.table is not None:
            self.table.leave(self.position.key ^ self.salt)

    def is_finished(self, depth: cython.int, alpha: cython.int, beta: cython.int) -> cython.bint:
        """Tell whether another search has finished this node meanwhile; its value is ``finished`` then."""
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
        """Return alpha or beta if the value very likely lies beyond it, else :data:`INFINITE` (ProbCut, Buro 1995).

        The game says that a search of ``shallow`` plies predicts one of ``plies``, and how well. That search only asks
        whether its own value lies beyond the window by the margin that the selectivity demands, and only where the
        static value lies beyond it by its own standard deviation: this saves most of the shallow searches that would
        answer no, and of the wrong cuts. Where few plies remain, the static value is the prediction itself.
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
        """Return what the table says of a move that reaches ``beta``, else ``-INFINITE``; all are searched to the end.

        Enhanced transposition cutoff (Plaat 1996). It costs a move for each entry looked up, so it is left out where
        few plies remain.
        """
        if self.table is None or self.position.remaining() < REFUTED_FROM:
            return -INFINITE
        low: cython.int = -bound_for_child(beta)
        i: cython.int
        start: cython.int = self.picker.start[ply]
        for i in range(start, start + count):
            self.position.make(self.picker.moves[i])
            data: cython.ulonglong = self.table.probe(self.position.key ^ self.salt)
            self.position.unmake()
            if data != 0 and self.answers(data, SOLVED, low, low + 1) and score_of(data) <= low:
                return score_from_child(-score_of(data))
        return -INFINITE

    def answers(self, data: cython.ulonglong, depth: cython.int, alpha: cython.int, beta: cython.int) -> cython.bint:
        """Tell whether a table entry settles the node.

        It must come from a search that left out no more. A selective search takes any entry that is deep enough, any
        other those of its own depth alone. The open windows of principal variation search are searched all the same, so
        that its line is whole.
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
