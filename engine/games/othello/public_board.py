"""``quietmove.Board``: a compiled Othello board for programs that make millions of moves.

A square is an integer, a1 = 0, b1 = 1 … h8 = 63, and a set of squares has the bit of each of its squares. A move is a
square, or 64 for a pass. :class:`quietmove.Position` is for every game, and reads and writes text.
"""

from __future__ import annotations

from functools import cache
from operator import index
from typing import Literal, SupportsIndex

import cython
from cython.cimports.cpython.exc import PyErr_CheckSignals
from cython.cimports.quietmove.engine.games.base import SearchMonitor
from cython.cimports.quietmove.engine.games.othello.bits_header import (
    final_discs,
    flips,
    lowest_square,
    mobility,
    popcount,
    prepare_rays,
)
from cython.cimports.quietmove.engine.games.othello.board import EXACT_REACH, PASS, OthelloPosition, perft
from cython.cimports.quietmove.engine.games.othello.evaluators.evaluator import Evaluator
from cython.cimports.quietmove.engine.games.othello.many_boards import ManyBoards
from cython.cimports.quietmove.engine.games.othello.public_board import BULK_DEPTH

from quietmove.engine.common.errors import ArgumentError
from quietmove.engine.errors import IllegalMoveError, NotationError, PositionError, require_text
from quietmove.engine.games.othello.evaluators import chosen_evaluator, make_evaluator
from quietmove.engine.games.othello.game import Othello
from quietmove.engine.games.othello.notation import (
    START,
    format_board,
    format_square,
    parse_board,
    parse_square,
    usual_fields,
)

__all__ = ["Board", "evaluate_boards", "solve_boards"]

BOARD = cython.declare(cython.ulonglong, 0xFFFFFFFFFFFFFFFF)  # all 64 squares
LARGEST = cython.declare(cython.int, 6400)  # the largest value, in hundredths of a disc
COLORS = ("black", "white")
Turn = Literal["black", "white"]
MAX_DEPTH = 64  # maximum depth of a perft in plies
BLACK, WHITE, _ = parse_board((START, "X"))

prepare_rays()


class Board:
    """An Othello position that you change with :meth:`push` and :meth:`pop`. A new board is the initial position.

    >>> import random
    >>> board = Board()
    >>> while board.legal_moves:
    ...     board.push(random.choice(board.legal_moves))
    >>> black, white = board.discs

    Boards are equal if their :attr:`key` is equal, that is, the discs and the side to move. A board can change, so it
    is not hashable: put its key into sets and dictionaries. Boards can be pickled.

    :ivar own: the discs of the side to move, a 64-bit set.
    :ivar opponent: the discs of the other side.
    """

    own_before: list[int]
    opponent_before: list[int]

    def __init__(self) -> None:
        self.own = BLACK
        self.opponent = WHITE
        self.black = True
        self.ply = 0

    @staticmethod
    def from_discs(own: SupportsIndex, opponent: SupportsIndex, turn: Turn = "black") -> Board:
        """Return the board with these discs.

        :param own: the discs of the side to move, a 64-bit set.
        :param turn: the side to move, ``black`` or ``white``.
        :raises PositionError: if a set is not an unsigned 64-bit integer, the two have a square in common, or ``turn``
            is not a side.
        """
        if turn not in COLORS:
            raise PositionError(f"turn: must be black or white, not {turn!r}")
        mine: cython.ulonglong = square_set("own", own)
        theirs: cython.ulonglong = square_set("opponent", opponent)
        if mine & theirs:
            common = format_square(lowest_square(mine & theirs))
            raise PositionError(f"opponent: must not share a square with own, but both have {common}")
        return board_of(mine, theirs, turn == "black")

    @staticmethod
    @cython.annotation_typing(False)  # so that the check below reports a wrong type
    def from_fen(text: str) -> Board:
        """Parse a position in the format of :attr:`fen` or in another common notation.

        :raises PositionError: if ``text`` is not a position.
        """
        require_text("position", text, PositionError)
        black, white, side = parse_board(usual_fields(text.split()))
        return board_of(white if side else black, black if side else white, not side)

    @property
    def fen(self) -> str:
        """The position as text: 64 squares a1, b1 … h8 as ``X`` (Black), ``O`` or ``-``, and the side to move."""
        own, opponent = int(self.own), int(self.opponent)
        black, white = (own, opponent) if self.black else (opponent, own)
        return format_board(black, white, not self.black)

    @property
    def key(self) -> tuple[int, int, bool]:
        """The position as a value for sets and dictionaries: :attr:`own`, :attr:`opponent`, and whether Black moves."""
        return int(self.own), int(self.opponent), bool(self.black)

    @property
    def turn(self) -> Turn:
        """The side to move, ``black`` or ``white``. In a finished game, the sides continue to alternate."""
        return "black" if self.black else "white"

    @property
    def moves(self) -> list[int]:
        """The moves made on this board, which :meth:`pop` can take back."""
        moves: list[int] = []
        before: cython.ulonglong
        after: cython.ulonglong
        ply: cython.int
        for ply in range(self.ply):
            before = self.own_before[ply] | self.opponent_before[ply]
            after = self.own | self.opponent
            if ply + 1 < self.ply:
                after = self.own_before[ply + 1] | self.opponent_before[ply + 1]
            moves.append(lowest_square(after & ~before) if after != before else PASS)
        return moves

    @property
    def legal_moves(self) -> list[int]:
        """The legal moves in ascending order: ``[64]`` if the side to move must pass, empty once the game is over."""
        moves: list[int] = []
        squares: cython.ulonglong = mobility(self.own, self.opponent)
        if squares == 0 and mobility(self.opponent, self.own):
            moves.append(PASS)
        while squares:
            moves.append(lowest_square(squares))
            squares &= squares - 1
        return moves

    @property
    def mobility(self) -> int:
        """The squares on which the side to move can play, as a 64-bit set; 0 if it must pass or the game is over."""
        squares: cython.ulonglong = mobility(self.own, self.opponent)
        return squares

    @property
    def is_over(self) -> bool:
        """Whether neither side can move."""
        over: cython.bint = mobility(self.own, self.opponent) == 0 and mobility(self.opponent, self.own) == 0
        return over

    @property
    def discs(self) -> tuple[int, int]:
        """The number of Black's discs and the number of White's."""
        own: cython.int = popcount(self.own)
        opponent: cython.int = popcount(self.opponent)
        return (own, opponent) if self.black else (opponent, own)

    @property
    def result(self) -> int | None:
        """Black's lead in discs with the empty squares given to the winner, or None before the game is over."""
        if not self.is_over:
            return None
        lead: cython.int = final_discs(self.own, self.opponent, 64 - popcount(self.own | self.opponent))
        return lead if self.black else -lead

    def make(self, move: cython.int) -> cython.bint:
        """Make a move if it is legal, and return whether it was legal."""
        own: cython.ulonglong = self.own
        opponent: cython.ulonglong = self.opponent
        turned: cython.ulonglong = 0
        placed: cython.ulonglong = 0
        if move == PASS:
            if mobility(own, opponent) or mobility(opponent, own) == 0:
                return False
        elif 0 <= move < PASS:
            placed = cython.cast(cython.ulonglong, 1) << move
            turned = flips(own, opponent, move)
            if turned == 0 or (own | opponent) & placed:
                return False
        else:
            return False
        self.own_before[self.ply] = own
        self.opponent_before[self.ply] = opponent
        self.ply += 1
        self.own = opponent ^ turned
        self.opponent = own | turned | placed
        self.black = not self.black
        return True

    def push(self, move: SupportsIndex) -> None:
        """Make a move.

        :raises IllegalMoveError: (a ValueError) if the move is not in :attr:`legal_moves`. The board is unchanged.
        """
        number: cython.int = move_number(move)
        if not self.make(number):
            wrong = f"must be one of {self.legal_moves}, not {number}" if self.legal_moves else "the game is over"
            raise IllegalMoveError(f"move: {wrong}")

    def pop(self) -> int:
        """Undo the last move and return it.

        :raises IllegalMoveError: if no move has been made on this board.
        """
        if self.ply == 0:
            raise IllegalMoveError("pop: no move has been made on this board")
        filled: cython.ulonglong = self.own | self.opponent
        self.ply -= 1
        self.own = self.own_before[self.ply]
        self.opponent = self.opponent_before[self.ply]
        self.black = not self.black
        placed: cython.ulonglong = filled & ~(self.own | self.opponent)
        return lowest_square(placed) if placed else PASS

    @staticmethod
    @cython.annotation_typing(False)  # see from_fen
    def parse_move(text: str) -> int:
        """Parse a move such as ``f5`` or ``pass``, without checking that it is legal.

        :raises NotationError: if ``text`` is not a move.
        """
        require_text("move", text, NotationError)
        return parse_square(text)

    @staticmethod
    def format_move(move: SupportsIndex) -> str:
        """Return the name of a move, such as ``f5`` or ``pass``.

        :raises IllegalMoveError: if it is not an integer from 0 to 64.
        """
        return format_square(move_number(move))

    def copy(self, *, moves: bool = True) -> Board:
        """Return an independent board with the same position.

        :param moves: whether the copy keeps the moves made, so that they can be taken back in it.
        """
        board: Board = board_of(self.own, self.opponent, self.black)
        ply: cython.int
        if moves:
            board.ply = self.ply
            for ply in range(self.ply):
                board.own_before[ply] = self.own_before[ply]
                board.opponent_before[ply] = self.opponent_before[ply]
        return board

    def random_game(self, seed: SupportsIndex) -> list[int]:
        """Make random legal moves until the game is over, and return them.

        :param seed: any integer; the moves depend only on the seed and the position.
        :raises ArgumentError: if it is not an integer.
        """
        if not isinstance(seed, SupportsIndex):
            raise ArgumentError(f"seed: must be an integer, not {seed!r}")
        game: ManyBoards = ManyBoards(1)
        game.seed(index(seed))
        game.set_up(0, self.own, self.opponent, not self.black)
        moves: list[int] = []
        move: cython.int = game.any_move(0)
        while self.make(move):
            moves.append(move)
            game.make(0, move)
            move = game.any_move(0)
        return moves

    def perft(self, depth: SupportsIndex) -> int:
        """Return the number of leaves after ``depth`` plies. A pass counts as a ply, a finished game as one leaf.

        :raises ArgumentError: if the depth is not an integer from 0 to 64.
        """
        if not isinstance(depth, SupportsIndex) or not 0 <= index(depth) <= MAX_DEPTH:
            raise ArgumentError(f"depth: must be an integer from 0 to {MAX_DEPTH}, not {depth!r}")
        plies: cython.int = index(depth)
        if plies == 0:
            return 1
        if plies <= BULK_DEPTH:
            return perft(self.own, self.opponent, plies, BOARD)
        PyErr_CheckSignals()  # so that Ctrl-C interrupts a deep perft
        leaves = 0
        for move in self.legal_moves:
            after = self.copy(moves=False)
            after.push(move)
            leaves += after.perft(plies - 1)
        return leaves or 1

    def evaluate(self) -> int:
        """Return the network's estimate in hundredths of a disc, from the side to move's point of view.

        No moves are searched. The value of a finished game is exact.
        """
        evaluator: Evaluator = network()
        evaluator.reset(self.own, self.opponent)
        value: cython.int = evaluator.value(self.own, self.opponent)
        evaluator.check()
        return value

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Board):
            return NotImplemented
        board: Board = other
        return self.key == board.key

    __hash__ = None  # type: ignore[assignment]  # see key

    def __reduce__(self) -> tuple[object, tuple[tuple[int, int, bool], list[int]]]:
        start: Board = self.copy()
        while start.ply:
            start.pop()
        return board_after, (start.key, self.moves)

    def __str__(self) -> str:
        own, opponent = int(self.own), int(self.opponent)
        black, white = (own, opponent) if self.black else (opponent, own)
        return Othello().draw(OthelloPosition(black, white, not self.black))

    def __repr__(self) -> str:
        return f"Board.from_fen({self.fen!r})"


def board_of(own: cython.ulonglong, opponent: cython.ulonglong, black: cython.bint) -> Board:
    """Return a new board with these discs, which must not share a square."""
    board: Board = Board.__new__(Board)
    board.own = own
    board.opponent = opponent
    board.black = black
    return board


@cython.cfunc
@cython.exceptval(-1)
def move_number(move: SupportsIndex) -> cython.int:
    """Return a move as an integer.

    :raises IllegalMoveError: if it is not an integer from 0 to 64.
    """
    number: cython.int
    try:
        number = index(move)
    except (TypeError, OverflowError):
        number = -1
    if not 0 <= number <= PASS:
        raise IllegalMoveError(f"move: must be an integer from 0 to {PASS}, not {move!r}")
    return number


def board_after(key: tuple[int, int, bool], moves: list[int]) -> Board:
    """Return the board that is reached by moves from the board with a key."""
    own, opponent, black = key
    board: Board = board_of(own, opponent, black)
    for move in moves:
        board.push(move)
    return board


def square_set(name: str, squares: SupportsIndex) -> int:
    """Return a set of squares as an integer.

    :raises PositionError: if it is not an unsigned 64-bit integer.
    """
    bits = index(squares) if isinstance(squares, SupportsIndex) else -1
    if not 0 <= bits < 1 << 64:
        raise PositionError(f"{name}: must be an unsigned 64-bit integer, not {squares!r}")
    return bits


def evaluate_boards(own: cython.ulonglong[::1], opponent: cython.ulonglong[::1], values: cython.int[::1]) -> None:
    """Write the value of :meth:`Board.evaluate` for each board to ``values``. All arrays have the same length."""
    evaluator: Evaluator = network()
    i: cython.Py_ssize_t
    for i in range(values.shape[0]):
        evaluator.reset(own[i], opponent[i])
        values[i] = evaluator.value(own[i], opponent[i])
    evaluator.check()


def solve_boards(own: cython.ulonglong[::1], opponent: cython.ulonglong[::1], values: cython.int[::1]) -> None:
    """Write the exact value of each board to ``values``, in discs from the side to move's point of view.

    All arrays have the same length.

    :raises ArgumentError: if a board has more than :data:`EXACT_REACH` empty squares, the solver's limit.
    """
    position: OthelloPosition = OthelloPosition(0, 0, 0)
    monitor: SearchMonitor = SearchMonitor()
    monitor.next_poll = BOARD  # the largest integer: never poll
    i: cython.Py_ssize_t
    for i in range(values.shape[0]):
        PyErr_CheckSignals()
        empties: cython.int = 64 - popcount(own[i] | opponent[i])
        if empties > EXACT_REACH:
            raise ArgumentError(f"own, opponent: must leave at most {EXACT_REACH} squares empty, not {empties}")
        position.set_up(own[i], opponent[i], 0)
        values[i] = position.solve(-LARGEST, LARGEST, monitor) // 100
    position.check()


@cache
def network() -> Evaluator:
    """Return the evaluator that all boards share."""
    return make_evaluator(chosen_evaluator("", 8))
