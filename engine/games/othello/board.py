"""The Othello board as a :class:`quietmove.engine.games.base.Position`: two bitboards, compiled.

A square is an integer, a1 = 0, b1 = 1 … h8 = 63, and the bit with that index. A move is a square or :data:`PASS`. Small
boards use the squares in the middle of the large one (:mod:`quietmove.engine.games.othello.shape`).
"""

from __future__ import annotations

import cython
from cython.cimports.quietmove.engine.games.othello.bits_header import (
    final_discs,
    flips,
    lowest_square,
    mobility,
    popcount,
    prepare_rays,
)
from cython.cimports.quietmove.engine.games.othello.board import (
    CACHED,
    EXACT_REACH,
    GROUPS,
    NOISY_DISCS,
    NOISY_LOOK,
    NOISY_MOBILITY,
    PASS,
)
from cython.cimports.quietmove.engine.games.othello.endgame import Endgame
from cython.cimports.quietmove.engine.prefetch_header import prefetch_line

from quietmove.engine.games.base import Position, SearchMonitor
from quietmove.engine.games.othello.evaluators import chosen_evaluator, make_evaluator
from quietmove.engine.games.othello.probcut import PARAMETERS, UNIT
from quietmove.engine.games.othello.shape import square_groups

__all__ = ["EXACT_REACH", "PASS", "OthelloPosition"]

# Above this many empty squares, a selective search is faster than the solver.
SELECTIVE_REACH = cython.declare(cython.int, 11)
# An unused cache entry: no board's key matches it. The key of a board without discs is 0.
NO_VALUE = cython.declare(cython.ulonglong, 0xFFFFFFFFFFFFFFFF)
PROBCUT_FROM = cython.declare(cython.int, 2)  # minimum depth of a search that a shallower one can predict
LARGE = cython.declare(cython.int, 8)  # size of the board that the prediction was fitted to
SIDE_KEY = cython.declare(cython.ulonglong, 0x9D39247E33776D41)
ERROR_UNIT = cython.declare(cython.int, UNIT)
ERROR_BY_EMPTIES = cython.declare(cython.int[65])
ERROR_BY_SPAN = cython.declare(cython.int[256])
ERROR_BY_REACH = cython.declare(cython.int[256])

prepare_rays()


@cython.cfunc
def prepare_errors() -> None:
    """Fill the tables of :meth:`OthelloPosition.shallow_error`."""
    for i in range(65):
        ERROR_BY_EMPTIES[i] = PARAMETERS.by_empties(i)
    for i in range(256):
        ERROR_BY_SPAN[i] = PARAMETERS.by_span(i)
        ERROR_BY_REACH[i] = PARAMETERS.by_reach(i)


prepare_errors()


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def key_of(own: cython.ulonglong, opp: cython.ulonglong, side: cython.int) -> cython.ulonglong:
    """Return the hash of a board, multiplied and folded as in the finalizer of MurmurHash3 (Appleby 2011)."""
    bits: cython.ulonglong = own * cython.cast(cython.ulonglong, 0xFF51AFD7ED558CCD)
    bits = (bits ^ bits >> 32 ^ opp) * cython.cast(cython.ulonglong, 0xC4CEB9FE1A85EC53)
    bits ^= bits >> 29
    bits = bits * cython.cast(cython.ulonglong, 0x94D049BB133111EB)
    bits ^= bits >> 32
    return bits ^ SIDE_KEY if side else bits


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def write_squares(squares: cython.ulonglong, moves: cython.p_int, start: cython.int) -> cython.int:
    """Write each square of the set to ``moves[start:]`` and return the end index."""
    while squares:
        moves[start] = lowest_square(squares)
        start += 1
        squares &= squares - 1
    return start


def perft(own: cython.ulonglong, opp: cython.ulonglong, depth: cython.int, board: cython.ulonglong) -> cython.ulonglong:
    """Return the number of leaves at ``depth``, which is at least 1. The last ply is counted in bulk."""
    legal: cython.ulonglong = mobility(own, opp) & board
    if legal == 0:
        if mobility(opp, own) & board == 0 or depth == 1:
            return 1
        return perft(opp, own, depth - 1, board)
    if depth == 1:
        return popcount(legal)
    leaves: cython.ulonglong = 0
    turned: cython.ulonglong
    move: cython.ulonglong
    reply: cython.ulonglong
    while legal:
        move = legal & (~legal + 1)
        turned = flips(own, opp, lowest_square(legal))
        legal ^= move
        if depth == 2:
            reply = mobility(opp ^ turned, own | turned | move) & board
            leaves += popcount(reply) if reply else 1
        else:
            leaves += perft(opp ^ turned, own | turned | move, depth - 1, board)
    return leaves


class OthelloPosition(Position):
    """An Othello position: the discs of the side to move and of its opponent.

    :param black: the squares of Black's discs as a 64-bit set.
    :param white: the squares of White's discs.
    :param side: 0 if Black is to move, 1 if White is.
    :param size: the board's size: 8, 6 or 4.
    """

    own_discs: list[int]
    opp_discs: list[int]
    keys: list[int]
    groups: list[int]
    values: list[int]

    def __init__(self, black: cython.ulonglong, white: cython.ulonglong, side: cython.int, size: int = 8) -> None:
        self.exact_reach = EXACT_REACH
        self.selective_reach = SELECTIVE_REACH
        self.slow = False
        self.size = size
        self.board = 0
        for i, squares in enumerate(square_groups(size)):
            self.groups[i] = squares
            self.board |= squares
        self.endgame = Endgame(self.board, self.groups[0], self.groups[GROUPS - 1])
        self.set_up(black, white, side)
        self.choose_evaluator("")

    def set_up(self, black: cython.ulonglong, white: cython.ulonglong, side: cython.int) -> None:
        """Restart from a different board, keeping the evaluator and the endgame solver's table."""
        self.own_discs[0] = white if side else black
        self.opp_discs[0] = black if side else white
        self.first_side = side
        self.ply = 0
        self.key = key_of(self.own_discs[0], self.opp_discs[0], side)
        self.keys[0] = self.key
        if self.incremental:
            self.evaluator.reset(self.own_discs[0], self.opp_discs[0])

    def choose_evaluator(self, name: str, file: str = "") -> str:
        name = chosen_evaluator(name, self.size)
        self.evaluator = make_evaluator(name, file, self.size)
        self.incremental = self.evaluator.incremental
        slot: cython.int
        for slot in range(CACHED):
            self.values[slot] = NO_VALUE
        if self.incremental:
            self.follow_moves()
        return name

    def follow_moves(self) -> None:
        """Notify the evaluator of all moves made so far."""
        self.evaluator.reset(self.own_discs[0], self.opp_discs[0])
        ply: cython.int
        for ply in range(self.ply):
            turned: cython.ulonglong = self.opp_discs[ply] ^ self.own_discs[ply + 1]
            placed: cython.ulonglong = self.own_discs[ply] ^ self.opp_discs[ply + 1] ^ turned
            self.evaluator.make(lowest_square(placed) if placed else PASS, turned)

    def get_ready(self) -> None:
        self.evaluator.get_ready()

    def forget(self) -> None:
        self.endgame.forget()

    def share(self, other: OthelloPosition, place: int) -> None:  # type: ignore[override]
        self.endgame.share(other.endgame, place)

    def generate(self, moves: cython.p_int, start: cython.int) -> cython.int:
        own: cython.ulonglong = self.own_discs[self.ply]
        opp: cython.ulonglong = self.opp_discs[self.ply]
        legal: cython.ulonglong = mobility(own, opp) & self.board
        if legal == 0:
            if mobility(opp, own) & self.board == 0:
                return 0
            moves[start] = PASS
            return 1
        end: cython.int = start
        group: cython.int
        for group in range(GROUPS):
            end = write_squares(legal & self.groups[group], moves, end)
        return end - start

    def generate_noisy(self, moves: cython.p_int, start: cython.int) -> cython.int:
        """Write the noisy moves: those that take a corner, leave the opponent no move, or leave it hardly any discs.

        "Hardly any" means at most :data:`NOISY_DISCS`. Moves to squares other than corners are checked only if the
        opponent has at most :data:`NOISY_MOBILITY` moves or :data:`NOISY_LOOK` discs. engine/README.md shows a position
        in which this changes the value.
        """
        own: cython.ulonglong = self.own_discs[self.ply]
        opp: cython.ulonglong = self.opp_discs[self.ply]
        legal: cython.ulonglong = mobility(own, opp) & self.board
        answers: cython.ulonglong = mobility(opp, own) & self.board
        if legal == 0:
            if answers == 0:
                return 0
            moves[start] = PASS
            return -1
        end: cython.int = write_squares(legal & self.groups[0], moves, start)
        if popcount(answers) > NOISY_MOBILITY and popcount(opp) > NOISY_LOOK:
            return end - start
        rest: cython.ulonglong = legal & ~self.groups[0]
        square: cython.int
        turned: cython.ulonglong
        left: cython.ulonglong
        while rest:
            square = lowest_square(rest)
            rest &= rest - 1
            turned = flips(own, opp, square)
            left = opp ^ turned
            turned |= own | cython.cast(cython.ulonglong, 1) << square
            if popcount(left) <= NOISY_DISCS or mobility(left, turned) & self.board == 0:
                moves[end] = square
                end += 1
        return end - start

    def replies(self, move: cython.int, moves: cython.p_int, start: cython.int) -> cython.int:
        own: cython.ulonglong = self.own_discs[self.ply]
        opp: cython.ulonglong = self.opp_discs[self.ply]
        if move == PASS:
            return popcount(mobility(opp, own) & self.board)
        turned: cython.ulonglong = flips(own, opp, move)
        own |= turned | cython.cast(cython.ulonglong, 1) << move
        legal: cython.ulonglong = mobility(opp ^ turned, own) & self.board
        return popcount(legal) + popcount(legal & self.groups[0])

    def make(self, move: cython.int) -> None:
        ply: cython.int = self.ply
        own: cython.ulonglong = self.own_discs[ply]
        opp: cython.ulonglong = self.opp_discs[ply]
        turned: cython.ulonglong = 0
        if move != PASS:
            turned = flips(own, opp, move)
            own |= turned | cython.cast(cython.ulonglong, 1) << move
            opp ^= turned
        if self.incremental:
            self.evaluator.make(move, turned)
        ply += 1
        self.own_discs[ply] = opp
        self.opp_discs[ply] = own
        self.key = key_of(opp, own, (self.first_side + ply) & 1)
        self.keys[ply] = self.key
        self.ply = ply
        prefetch_line(cython.address(self.values[self.key & (CACHED - 1)]))

    def unmake(self) -> None:
        if self.incremental:
            self.evaluator.unmake()
        self.ply -= 1
        self.key = self.keys[self.ply]

    def evaluate(self) -> cython.int:
        """Return the value of the selected evaluator.

        Recent values are cached, each in one word with the upper 48 bits of the position's key.
        """
        slot: cython.int = self.key & (CACHED - 1)
        kept: cython.ulonglong = self.values[slot]
        value: cython.int
        if (kept ^ self.key) >> 16 == 0:
            return cython.cast(cython.int, kept & 0xFFFF) - 32768
        value = self.evaluator.value(self.own_discs[self.ply], self.opp_discs[self.ply])
        self.values[slot] = self.key >> 16 << 16 | cython.cast(cython.ulonglong, value + 32768)
        return value

    def final_score(self) -> cython.int:
        left: cython.int = self.remaining()
        return 100 * final_discs(self.own_discs[self.ply], self.opp_discs[self.ply], left)

    def remaining(self) -> cython.int:
        return popcount(self.board & ~(self.own_discs[self.ply] | self.opp_discs[self.ply]))

    def solve(self, alpha: cython.int, beta: cython.int, monitor: SearchMonitor) -> cython.int:
        """Return the exact fail-soft value, computed by the endgame solver.

        The solver counts in discs, so the window is widened to whole discs. This can only make the result more exact.
        """
        low: cython.int = -64 if alpha <= -6400 else 63 if alpha >= 6300 else (alpha + 6400) // 100 - 64
        high: cython.int = 64 if beta >= 6400 else -63 if beta <= -6300 else (beta + 6499) // 100 - 64
        return 100 * self.endgame.solve(self.own_discs[self.ply], self.opp_discs[self.ply], low, high, monitor)

    def shallow_depth(self, depth: cython.int) -> cython.int:
        """Return about half of ``depth`` with the same parity, because values at even and odd depths differ.

        Return -1 at low depths and on small boards, which have no fitted parameters.
        """
        if self.size != LARGE:
            return -1
        return 2 * (depth // 4) + (depth & 1) if depth >= PROBCUT_FROM else -1

    def shallow_error(self, depth: cython.int, shallow: cython.int) -> cython.int:
        factor: cython.int = ERROR_BY_SPAN[depth - shallow] * ERROR_BY_REACH[shallow] // ERROR_UNIT
        return factor * cython.cast(cython.int, ERROR_BY_EMPTIES[self.remaining()]) // ERROR_UNIT

    def count_leaves(self, depth: cython.int) -> cython.ulonglong:
        if depth == 0:
            return 1
        return perft(self.own_discs[self.ply], self.opp_discs[self.ply], depth, self.board)

    @property
    def largest_score(self) -> int:
        return 100 * self.size * self.size

    @property
    def black(self) -> int:
        """The squares of Black's discs as a 64-bit set."""
        return self.opp_discs[self.ply] if self.side_to_move else self.own_discs[self.ply]

    @property
    def white(self) -> int:
        """The squares of White's discs as a 64-bit set."""
        return self.own_discs[self.ply] if self.side_to_move else self.opp_discs[self.ply]

    def check(self) -> None:
        self.evaluator.check()
        failure, self.endgame.failure = self.endgame.failure, None
        if failure is not None:
            raise failure

    def copy(self) -> OthelloPosition:
        return OthelloPosition(self.black, self.white, self.side_to_move, self.size)
