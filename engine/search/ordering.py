"""Move ordering: the order in which a node tries its moves.

Alpha-beta visits only about the square root of minimax's leaves if the best move comes first (Knuth and Moore 1975), so
move ordering largely determines its speed. The variants are:

``none``
    by move number, as listed by a generator without game knowledge.
``static``
    the order of the game's generator, its best guess first. All following variants use it to break ties.
``evaluation``
    by the static value of the position after each move, best for the mover first; slow if evaluation is.
``table``
    the best move of an earlier visit first (from the transposition table).
``killer``
    the last two moves that caused a cutoff at this ply first (Huberman 1968; Slate and Atkin 1977).
``history``
    by how often, and at what depth, a move has caused cutoffs anywhere (Schaeffer 1983).
``mobility``
    by the number of replies left to the opponent, fewest first ("fastest first").
``full``
    the table's move, then mobility, with history to break ties. Killers are not used, because in this combination they
    increase the node count. In a game that has a solver, and therefore values in points, moves are ordered by a sum of
    mobility and the static value after the move if the tree below the node is large: from depth :data:`EVALUATED_FROM`,
    and in exact searches.
"""

from __future__ import annotations

import cython
from cython.cimports.libc.stdlib import free, malloc
from cython.cimports.quietmove.engine.games.base import MAX_MOVES, MAX_PLY
from cython.cimports.quietmove.engine.search.ordering import HISTORY, HISTORY_MAX, MOVE_STACK, NO_MOVE

from quietmove.engine.games.base import Position

EVALUATED_FROM = cython.declare(cython.int, 4)  # minimum depth in plies at which static values order moves
REPLY_VALUE = cython.declare(cython.int, 150)  # value of each reply taken from the opponent, in hundredths of a point
EXACT_REPLY_VALUE = cython.declare(cython.int, 300)  # the same in an exact search
NEVER = cython.declare(cython.int, -1)  # the node's moves are no longer postponed
# Each bit is a criterion of an ordering, in the order of the stages. To add an ordering, add a row to ORDERING_FLAGS.
# To add a bit, add a constant here and a branch: in score_rest() if it scores every move, or in begin(), together with
# WITHOUT_SCORES, if it moves single moves to the front.
NUMBER = cython.declare(cython.int, 1)
TABLE_MOVE = cython.declare(cython.int, 2)
KILLERS = cython.declare(cython.int, 4)
CUTOFFS = cython.declare(cython.int, 8)
REPLIES = cython.declare(cython.int, 16)
EVALUATION = cython.declare(cython.int, 32)
POINTS = cython.declare(cython.int, 64)
WITHOUT_SCORES = cython.declare(cython.int, NUMBER | TABLE_MOVE | KILLERS | POINTS)
ORDERING_FLAGS = {
    "none": NUMBER,
    "static": 0,
    "evaluation": EVALUATION,
    "table": TABLE_MOVE,
    "killer": KILLERS,
    "history": CUTOFFS,
    "mobility": REPLIES,
    "full": TABLE_MOVE | CUTOFFS | REPLIES | POINTS,
}
ORDERINGS = tuple(ORDERING_FLAGS)


class Picker:
    """A move picker, which returns a node's moves one by one, in stages prepared only when they are reached.

    The moves of all nodes on the line of the search share one stack, ``moves``: those of the node at ``ply`` are from
    ``start[ply]`` to ``start[ply + 1]``.

    :param position: the position searched, which must be at the node in question during each call.
    :param ordering: a name from :data:`ORDERINGS`.
    """

    start: list[int]
    cursor: list[int]
    scored_from: list[int]
    reply_value: list[int]
    later: list[int]
    killers: list[int]
    history: list[int]

    def __cinit__(self) -> None:
        """Allocate memory for the stack without clearing it, which would take longer than a one-ply search."""
        self.moves = cython.cast(cython.p_int, malloc(2 * MOVE_STACK * cython.sizeof(cython.int)))
        if self.moves == cython.NULL:
            raise MemoryError
        self.scores = self.moves + MOVE_STACK

    def __dealloc__(self) -> None:
        free(self.moves)

    def __init__(self, position: Position, ordering: str) -> None:
        self.position = position
        self.goes_by = ORDERING_FLAGS[ordering]
        if position.exact_reach == 0:  # without a solver, the game's values need not be points
            self.goes_by &= ~POINTS
        for i in range(2 * MAX_PLY):
            self.killers[i] = NO_MOVE

    def has_room(self, ply: cython.int) -> cython.bint:
        """Return whether the stack has room for the moves of the node at ``ply`` and of two nodes below it."""
        return ply < MAX_PLY - 3 and self.start[ply] <= MOVE_STACK - 3 * MAX_MOVES

    def begin(
        self, ply: cython.int, count: cython.int, depth: cython.int, exact: cython.bint, table_move: cython.int
    ) -> None:
        """Start a node with ``count`` moves at ``moves[start[ply]:]``.

        Stages one and two are the table move and the killers.

        :param exact: whether the node is searched to the end of the game.
        """
        start: cython.int = self.start[ply]
        self.reply_value[ply] = 0
        self.later[ply] = 0
        if self.goes_by & POINTS and depth >= EVALUATED_FROM:
            self.reply_value[ply] = EXACT_REPLY_VALUE if exact else REPLY_VALUE
        self.cursor[ply] = start
        self.start[ply + 1] = start + count
        self.scored_from[ply] = start + count
        if count == 1:
            return
        if self.goes_by & NUMBER:
            self.sort_by_number(start, start + count)
        place: cython.int = start
        if self.goes_by & TABLE_MOVE and self.bring_forward(ply, place, table_move):
            place += 1
        if self.goes_by & KILLERS:
            if self.bring_forward(ply, place, self.killers[2 * ply]):
                place += 1
            if self.bring_forward(ply, place, self.killers[2 * ply + 1]):
                place += 1
        scored: cython.bint = self.goes_by & ~WITHOUT_SCORES != 0
        if self.goes_by & (REPLIES | EVALUATION):
            scored = depth > 1  # not worth its cost one ply above the leaves
        if scored:
            self.scored_from[ply] = place

    def next_move(self, ply: cython.int) -> cython.int:
        """Return the next move, or ``NO_MOVE`` if all have been tried."""
        place: cython.int = self.cursor[ply]
        if place == self.start[ply + 1]:
            if self.later[ply] <= 0:
                return NO_MOVE
            place = self.start[ply]
            self.start[ply + 1] = self.scored_from[ply] = place + self.later[ply]
            self.later[ply] = NEVER
        self.cursor[ply] = place + 1
        if place == self.scored_from[ply]:
            self.score_rest(ply)
        if place >= self.scored_from[ply]:
            best: cython.int = place
            i: cython.int
            for i in range(place + 1, self.start[ply + 1]):
                if self.scores[i] > self.scores[best]:
                    best = i
            move: cython.int = self.moves[best]
            score: cython.int = self.scores[best]
            for i in range(best, place, -1):  # keep the order of the others
                self.moves[i] = self.moves[i - 1]
                self.scores[i] = self.scores[i - 1]
            self.moves[place] = move
            self.scores[place] = score
        return self.moves[place]

    def postpone(self, ply: cython.int, move: cython.int) -> cython.bint:
        """Postpone ``move``, the last one returned, until after all others; return False if it was postponed before."""
        if self.later[ply] == NEVER:
            return False
        self.moves[self.start[ply] + self.later[ply]] = move  # overwrites a move already returned
        self.later[ply] += 1
        return True

    def score_rest(self, ply: cython.int) -> None:
        """Stage three: score the remaining moves."""
        side: cython.int = ply & 1
        room: cython.int = self.start[ply + 1]
        i: cython.int
        for i in range(self.scored_from[ply], self.start[ply + 1]):
            self.scores[i] = 0
            if self.reply_value[ply]:
                self.scores[i] = self.value_after(self.moves[i])
                self.scores[i] -= self.reply_value[ply] * self.position.replies(self.moves[i], self.moves, room)
                continue
            if self.goes_by & CUTOFFS:
                self.scores[i] += self.history[side * HISTORY + (self.moves[i] & (HISTORY - 1))]
            if self.goes_by & REPLIES:
                self.scores[i] -= 2 * HISTORY_MAX * self.position.replies(self.moves[i], self.moves, room)
            if self.goes_by & EVALUATION:
                self.scores[i] += self.value_after(self.moves[i])

    def value_after(self, move: cython.int) -> cython.int:
        """Return the static value of the position after ``move``, from the mover's point of view."""
        self.position.make(move)
        value: cython.int = -self.position.evaluate()
        self.position.unmake()
        return value

    def bring_forward(self, ply: cython.int, place: cython.int, move: cython.int) -> cython.bint:
        """Move ``move`` forward to index ``place``, and return True.

        If it is not at ``place`` or a later index, nothing changes, and the result is False.
        """
        i: cython.int
        for i in range(place, self.start[ply + 1]):
            if self.moves[i] == move:
                while i > place:
                    self.moves[i] = self.moves[i - 1]
                    i -= 1
                self.moves[place] = move
                return True
        return False

    def sort_by_number(self, start: cython.int, end: cython.int) -> None:
        """Sort the moves from ``start`` to ``end`` by their number."""
        i: cython.int
        place: cython.int
        move: cython.int
        for i in range(start + 1, end):
            move = self.moves[i]
            place = i
            while place > start and self.moves[place - 1] > move:
                self.moves[place] = self.moves[place - 1]
                place -= 1
            self.moves[place] = move

    def reward(self, ply: cython.int, move: cython.int, depth: cython.int) -> None:
        """Record that ``move`` caused a cutoff."""
        if self.killers[2 * ply] != move:
            self.killers[2 * ply + 1] = self.killers[2 * ply]
            self.killers[2 * ply] = move
        slot: cython.int = (ply & 1) * HISTORY + (move & (HISTORY - 1))
        bonus: cython.int = min(depth * depth, 400)
        self.history[slot] += bonus - self.history[slot] * bonus // HISTORY_MAX  # never exceeds HISTORY_MAX
