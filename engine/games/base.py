"""The interface between a game and the rest of the program: search positions, parsing and formatting.

:class:`Position` has two interfaces. The search calls C-level methods (``generate``, ``make``, ``evaluate`` …), which
check nothing, take no lock and touch no Python object. All other code calls ``legal_moves``, ``play``, ``undo``,
``is_over`` and ``result``, which check their arguments and raise errors.

Scores are integers in hundredths of a point, from the side to move's point of view unless stated otherwise.
In a game without points, the final position scores ``WIN``, 0 or ``-WIN``; the search subtracts one for each ply on the
way there, so that quicker wins and slower losses are preferred and a value depends only on the position.

There are three kinds of games (see :attr:`Game.kind`). In a game of chance, :data:`NATURE` makes random moves between
the players' moves. Scores are then averages: they stay below ``DECISIVE`` and do not depend on the number of plies. In
a game with hidden information, a player sees a view of the position, and a search examines the deals that are
consistent with this view.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import cython
from cython.cimports.quietmove.engine.games.base import (
    DECISIVE,
    MAX_MOVES,
    MAX_PLY,
    NATURE,
    UNKNOWN_REMAINING,
    WIN,
)

from quietmove.engine.errors import IllegalMoveError, OptionError
from quietmove.engine.games.rules import Rules

__all__ = [
    "DECISIVE",
    "MAX_MOVES",
    "MAX_PLY",
    "NATURE",
    "UNKNOWN_REMAINING",
    "WIN",
    "Book",
    "BookMove",
    "Game",
    "Grid",
    "OwnPosition",
    "Position",
    "SearchMonitor",
    "evaluator_named",
    "refuse_file",
]

EMPTY_SQUARE = -1  # different from both players' numbers
OwnPosition = Any  # each game's methods take its own position class


class SearchMonitor:
    """A node counter that decides when a search must stop. The search and the games' own solvers share it.

    Before each node, if ``nodes >= next_poll``, call :meth:`poll`, and return immediately if that sets ``stopped``.

    :ivar nodes: calls of ``make`` so far.
    :ivar next_poll: the node count at which to call :meth:`poll` next; 0 once ``stopped``.
    :ivar stopped: whether the search must end; its result is then invalid.
    """

    def __init__(self) -> None:
        self.nodes = self.next_poll = 0
        self.stopped = False

    def poll(self) -> None:
        """Decide whether the search must stop, and set ``next_poll``."""


class Position:
    """A stack of positions: ``make`` pushes, ``unmake`` pops.

    :ivar key: 64-bit hash of the board and the side to move.
    :ivar ply: plies since the position was set up.
    :ivar exact_reach: maximum number of remaining moves that :meth:`solve` accepts; 0 without a solver.
    :ivar selective_reach: the same for selective searches, which use the solver later; at most ``exact_reach``.
    :ivar slow: whether a move can take arbitrarily long, so that a search must check its clock before each one.
    """

    def __init__(self) -> None:
        self.key = self.ply = self.first_side = self.exact_reach = self.selective_reach = 0
        self.slow = False

    def generate(self, moves: cython.p_int, start: cython.int) -> cython.int:
        """Write the legal moves to ``moves[start:]`` and return their number; 0 means that the game is over.

        A forced pass counts as a move. Moves are in the game's static order, best guess first.
        """
        return 0

    def generate_noisy(self, moves: cython.p_int, start: cython.int) -> cython.int:
        """Write the moves for quiescence search to ``moves[start:]``; return their number, or -1 if a move is forced.

        -1 means that the side to move cannot stand pat: its only legal move is at ``moves[start]``.
        """
        return 0

    def replies(self, move: cython.int, moves: cython.p_int, start: cython.int) -> cython.int:
        """Return the number of the opponent's legal moves after ``move``. A game may count good moves more than once.

        ``moves[start:]`` is scratch space.
        """
        self.make(move)
        count: cython.int = self.generate(moves, start)
        self.unmake()
        return count

    def make(self, move: cython.int) -> None:
        """Play a legal move, without checks."""

    def unmake(self) -> None:
        """Take back the last move."""

    def evaluate(self) -> cython.int:
        """Return the static evaluation from the point of view of :attr:`next_player`."""
        return 0

    def final_score(self) -> cython.int:
        """Return the value of a finished game from the point of view of :attr:`next_player`."""
        return 0

    def remaining(self) -> cython.int:
        """Return an upper bound on the number of remaining moves, not counting passes."""
        return UNKNOWN_REMAINING

    def solve(self, alpha: cython.int, beta: cython.int, monitor: SearchMonitor) -> cython.int:
        """Return the exact fail-soft value. Call only if ``remaining() <= exact_reach``.

        Nodes are counted in ``monitor``, which can stop the search. A game without a solver needs this method only for
        finished games.
        """
        return self.final_score()

    def shallow_depth(self, depth: cython.int) -> cython.int:
        """Return the depth of a shallow search that predicts the value at ``depth`` (ProbCut).

        0 means that the static evaluation predicts the value, -1 that nothing does. The depth of a search to the end of
        the game is :meth:`remaining`.
        """
        return -1

    def shallow_error(self, depth: cython.int, shallow: cython.int) -> cython.int:
        """Return the standard deviation of the difference between the values at depths ``depth`` and ``shallow``."""
        return 0

    def is_chance(self) -> cython.bint:
        """Return whether this is a chance node. The result is undefined if the game is over."""
        return False

    def weight(self, move: cython.int) -> cython.int:
        """Return the relative frequency of a chance move, or 0 if a player is to move."""
        return 0

    def count_leaves(self, depth: cython.int) -> cython.ulonglong:
        """Return perft: the number of leaves at ``depth``, where a game that ends earlier counts as one leaf."""
        buffer = cython.declare(cython.int[512])
        if depth == 0:
            return 1
        count: cython.int = self.generate(buffer, 0)
        if count == 0:
            return 1
        leaves: cython.ulonglong = 0
        i: cython.int
        for i in range(count):
            self.make(buffer[i])
            leaves += self.count_leaves(depth - 1)
            self.unmake()
        return leaves

    @property
    def side_to_move(self) -> int:
        """The side to move: 0 for the first player, 1 for the second, or :data:`NATURE` at a chance node."""
        return (self.first_side + self.ply) & 1

    @property
    def next_player(self) -> int:
        """The side to move, or at a chance node the player who moves next. Scores are as seen by this player."""
        return self.side_to_move

    @property
    def largest_score(self) -> int:
        """The largest absolute value of any score in the game."""
        return WIN

    def choose_evaluator(self, name: str, file: str = "") -> str:
        """Switch :meth:`evaluate` to another of the game's evaluators, and return its name.

        :param name: a name from :attr:`Game.evaluators`, or "" for the first one.
        :param file: the weights file for an evaluator that reads one, or "" for the weights shipped with the game.
        :raises OptionError: if there is no such evaluator, or none can read the file. The evaluator is then unchanged.
        """
        refuse_file(file)
        return evaluator_named((), name)

    def get_ready(self) -> None:
        """Load everything that a search needs, so that loading does not count as thinking time.

        :raises QuietmoveError: if a file is damaged or missing.
        """

    def forget(self) -> None:
        """Discard everything cached by earlier searches, so that the next search is reproducible."""

    def share(self, other: Position, place: int) -> None:
        """Share the solver's table with ``other``, a copy that another thread searches.

        :param place: the index of this position among those that share the table.
        """

    def copy(self) -> Position:
        """Return an independent copy with the same board and side to move.

        Its history is empty (``ply`` 0), and its evaluator is the game's first.
        """
        raise NotImplementedError

    def legal_moves(self) -> list[int]:
        """Return the legal moves in the order of :meth:`generate`, or [] if the game is over."""
        buffer = cython.declare(cython.int[512])
        count: cython.int = self.generate(buffer, 0)
        self.check()
        return [buffer[i] for i in range(count)]

    def is_over(self) -> bool:
        """Return whether the game is over."""
        return not self.legal_moves()

    def outcomes(self) -> list[tuple[int, int]]:
        """Return the chance moves with their weights, or [] if a player is to move or the game is over."""
        weighted = [(move, self.weight(move)) for move in self.legal_moves()]
        return weighted if weighted and weighted[0][1] > 0 else []

    def play(self, move: int) -> None:
        """Play ``move`` after checking it.

        :raises IllegalMoveError: if it is not legal; the position is unchanged.
        """
        legal = self.legal_moves()
        if move not in legal:
            raise IllegalMoveError(f"move {move} is not legal here; legal: {legal}")
        self.make(move)

    def undo(self) -> None:
        """Take back the last move.

        :raises IllegalMoveError: if there is no move to take back.
        """
        if self.ply == 0:
            raise IllegalMoveError("there is no move to take back")
        self.unmake()

    def result(self) -> int:
        """Return the final score of a finished game from the first player's point of view, in hundredths."""
        score: cython.int = self.final_score()
        self.check()
        return -score if self.next_player else score

    def check(self) -> None:
        """Raise the first error that occurred in a C-level method since the last check.

        C-level methods cannot raise errors themselves. After an error they return no moves and no values, so that a
        search ends soon; its result is invalid. Methods for Python that call one of them end with this check.
        """

    def static_value(self) -> int:
        """Return the result of :meth:`evaluate`."""
        value: cython.int = self.evaluate()
        self.check()
        return value

    def is_predicted(self, depth: int) -> bool:
        """Return whether a shallower search or the static value predicts the value at this depth."""
        return self.shallow_depth(depth) >= 0

    def moves_left(self) -> int:
        """Return the result of :meth:`remaining`."""
        most: cython.int = self.remaining()
        self.check()
        return most

    def perft(self, depth: int) -> int:
        """Return the result of :meth:`count_leaves`."""
        leaves: cython.ulonglong = self.count_leaves(depth)
        self.check()
        return leaves


@dataclass(frozen=True)
class Grid:
    """A board whose squares or columns are the game's moves, written ``d3`` or ``d`` in canonical notation.

    :param columns: number of columns, named a, b … from the left.
    :param rows: number of rows, numbered from 1 at the top, or None if a move is a column.
    """

    columns: int
    rows: int | None

    def filled(self, move: str, squares: Callable[[], str]) -> int | None:
        """Return the index of the square that a legal move fills, or None if the move fills no square.

        Squares are counted row by row from 0. A move into a column fills the column's lowest empty square.

        :param move: the move in canonical notation.
        :param squares: a function that returns the board before the move.
        """
        column = ord(move[0]) - ord("a")
        if self.rows is None:
            return self.columns * squares()[column :: self.columns].rindex("-") + column if len(move) == 1 else None
        return self.columns * (int(move[1:]) - 1) + column if move[1:].isdecimal() else None


@dataclass(frozen=True, slots=True)
class BookMove:
    """A move in an opening book.

    :param value: the value of the position after the move, in hundredths of a point, from the mover's point of view.
    :param depth: the search depth of that position in plies, which reaches the end of the game if ``exact``.
    :param below: number of book positions reachable from that position.
    :param bound: whether ``value`` is ``exact``, a ``lower`` bound or an ``upper`` bound.
    """

    move: int
    value: int
    depth: int
    exact: bool
    below: int
    bound: Literal["exact", "lower", "upper"] = "exact"


class Book(ABC):
    """An opening book, which gives the values of moves without a search."""

    @abstractmethod
    def moves(self, position: Position) -> list[BookMove]:
        """Return the book's moves in ``position``, best first, or [] if the position is not in the book.

        In symmetric positions, moves of equal value come in the same order, transformed accordingly.
        """


class Game(ABC):
    """A game: how to set up, parse, format and draw its positions and moves.

    Some games also implement a protocol in :mod:`quietmove.engine.games.optional`.

    :cvar name: the value of the option ``Game``.
    :cvar point: the unit of the score, such as ``disc``.
    :cvar players: the names of the first and the second player. Positions as text use the letters in :attr:`sides`.
    :cvar grid: the board whose squares or columns are the moves, or None if the moves are not squares or columns.
    :cvar kind: ``perfect``, ``chance`` (with random moves) or ``hidden`` (players see only part of the position).
    :cvar move_count: an exclusive upper bound on the move numbers, which start at 0.
    :cvar rules: the description for people.
    :cvar evaluators: names for :meth:`Position.choose_evaluator`, default first; empty if there is no choice.
    """

    kind: Literal["perfect", "chance", "hidden"] = "perfect"
    grid: Grid | None = None
    move_count: int = 65_536
    evaluators: tuple[str, ...] = ()
    players: tuple[str, str] = ("Black", "White")
    sides: tuple[str, str] = ("X", "O")
    rules: Rules = Rules()
    name: str
    point: str

    @abstractmethod
    def initial(self) -> Position:
        """Return the initial position."""

    def begin(self, seed: int) -> Position:
        """Return the initial position for a seed. Only games that deal cards have more than one."""
        return self.initial()

    @abstractmethod
    def parse_position(self, fields: Sequence[str]) -> Position:
        """Parse the fields of a position (for Othello: 64 squares and the side to move).

        :raises PositionError: if a field is invalid; the message gives the expected and the actual value.
        """

    @abstractmethod
    def format_position(self, position: OwnPosition) -> str:
        """Return the position as text for :meth:`parse_position`, with fields separated by a space."""

    @abstractmethod
    def parse_move(self, position: OwnPosition, text: str) -> int:
        """Parse a legal move in canonical notation, ignoring case.

        Passes can be spelled as in :data:`quietmove.engine.move_text.PASSES`.

        :raises NotationError: if ``text`` is not a move of the game.
        :raises IllegalMoveError: if the move is not legal in ``position``.
        """

    def require_legal(self, position: OwnPosition, move: int, text: str) -> int:
        """Return ``move`` if it is legal.

        :param text: the move as given, for the error message.
        :raises IllegalMoveError: if the move is not legal in ``position``.
        """
        legal = position.legal_moves()
        if move in legal:
            return move
        if not legal:
            raise IllegalMoveError(f"{text!r} is not legal here; the game is over")
        names = " ".join(self.format_move(each) for each in sorted(legal))
        raise IllegalMoveError(f"{text!r} is not legal here; legal: {names}")

    @abstractmethod
    def format_move(self, move: int) -> str:
        """Return a move in canonical notation, as one token. Other notations belong to the protocols."""

    @abstractmethod
    def draw(self, position: OwnPosition) -> str:
        """Return a text drawing of the position for people, without a final newline."""

    def turn(self, position: OwnPosition) -> str:
        """Return the side to move as text, ``X (Black) to move``, or ``game over``."""
        side = position.side_to_move
        return "game over" if position.is_over() else f"{self.sides[side]} ({self.players[side]}) to move"

    def squares(self, position: OwnPosition) -> str | None:
        """Return the board row by row from the top: a letter for each piece, ``-`` for an empty square.

        Games without :attr:`board_columns` return None.
        """
        return None

    def squares_of(self, position: OwnPosition, move: int) -> tuple[int, ...]:
        """Return the squares of a legal move, as indices into :meth:`squares`.

        ``(target,)`` for a move that fills a square, ``(origin, target)`` for a piece that moves, ``()`` for any other
        move, such as a pass or a roll. The default implementation uses :attr:`grid`.
        """
        if self.grid is None:
            return ()
        target = self.grid.filled(self.format_move(move), lambda: self.squares(position) or "")
        return () if target is None else (target,)

    @property
    def actions(self) -> Sequence[int]:
        """The moves in the order in which learning programs number them as actions, from 0."""
        return range(self.move_count)

    def planes(self, position: OwnPosition, side: int) -> tuple[int, list[list[int]]] | None:
        """Return the position as known to the player ``side``, encoded for machine learning.

        The result is the number of columns and a list of planes. Each plane is a list of integers from 0 to 255, row by
        row from the top. The default implementation returns two planes, one with the player's own pieces and one with
        the opponent's (1 for a piece, 0 for any other square); for a game without a board it returns None.
        """
        squares = self.squares(position)
        if squares is None or self.board_columns is None:
            return None
        owners = [EMPTY_SQUARE if piece == "-" else self.owner(piece) for piece in squares]
        return self.board_columns, [[int(owner == each) for owner in owners] for each in (side, 1 - side)]

    @property
    def board_columns(self) -> int | None:
        """The number of columns in :meth:`squares`, or None in a game without squares."""
        return None if self.grid is None else self.grid.columns

    def column_name(self, column: int) -> str:
        """Return the label of a column, counted from 0; column and row labels together name a square."""
        return chr(ord("a") + column)

    def row_name(self, row: int) -> str:
        """Return the label of a row, from 0 at the top, or "" if the column alone names a square."""
        return str(row + 1)

    def owner(self, piece: str) -> int:
        """Return the side that owns a piece, given its letter in :meth:`squares`."""
        return self.sides.index(piece)

    @property
    def dark_side(self) -> int:
        """The side whose pieces are drawn dark: the first player, unless that player is called White."""
        return int(self.players[0].casefold() == "white")

    def explain(self, position: OwnPosition) -> list[tuple[str, int]]:
        """Return the names and values of the evaluation's terms, from the side to move's point of view.

        The values are in hundredths of a point and sum to the evaluation.
        """
        return [("value", position.static_value())]

    def canonical(self, position: OwnPosition) -> str:
        """Return the same text for all positions that are equivalent under the game's symmetries."""
        return self.format_position(position)

    def open_book(self, file: str = "") -> Book | None:
        """Return the opening book in ``file``; for "", return the game's own book, or None if there is none.

        :raises OptionError: if the file is not a book of this game.
        """
        if file:
            raise OptionError(f"option BookFile: must be default ({self.name} has no opening book), not {file!r}")
        return None


def refuse_file(file: str) -> None:
    """Reject a weights file, for a game whose evaluators read none.

    :raises OptionError: if ``file`` is not empty.
    """
    if file:
        raise OptionError(f"option EvalFile: must be default (no evaluator of this game reads a file), not {file!r}")


def evaluator_named(names: Sequence[str], name: str) -> str:
    """Return ``name``, or the first of ``names`` if ``name`` is empty.

    :param names: the game's evaluators.
    :raises OptionError: if there is no such evaluator.
    """
    if name and name not in names:
        allowed = f"{', '.join(names)} or default" if names else "default (this game has no choice of evaluators)"
        raise OptionError(f"option Evaluation: must be {allowed}, not {name!r}")
    return name or (names[0] if names else "")
