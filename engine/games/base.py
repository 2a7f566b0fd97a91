"""What a game is to the rest of the program: a position to search, and a game to read, write and draw it.

:class:`Position` has two faces. The search calls the C-level methods (``generate``, ``make``, ``evaluate`` …), which
check nothing, take no lock and touch no Python object. Everybody else calls ``legal_moves``, ``play``, ``undo``,
``is_over`` and ``result``, which check what they are given.

A score is an ``int`` in hundredths of the game's point, from the side to move unless said otherwise. In a game that is
only won, drawn or lost, a position whose game is over scores ``WIN``, 0 or ``-WIN``; the search takes one off for each
ply on the way there, so that quicker wins and slower losses are preferred and a value depends on the position alone.

A game is of one of three kinds, :attr:`Game.kind`. In a game of chance :data:`NATURE` makes moves of its own between
those of the players; its scores are averages, so they stay below ``DECISIVE`` and count no plies. In a game with hidden
information a player sees a view of the position, and a search the deals that the view may stand for.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import cython
from cython.cimports.quietmove.engine.games.base import (
    DECISIVE,
    MAX_MOVES,
    MAX_PLY,
    NATURE,
    UNKNOWN_REMAINING,
    WIN,
)

from quietmove.engine.errors import GameError, IllegalMoveError, OptionError

if TYPE_CHECKING:
    from quietmove.engine.games.picture import Picture

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
    "Watch",
    "evaluator_named",
    "refuse_file",
]

EMPTY_SQUARE = -1  # no player's number
OwnPosition = Any  # a position of the game at hand: the methods of each game take its own class


class Watch:
    """Counts the nodes of a search and stops it, for the recursion and for a game's own solver.

    Before each node: where ``nodes >= next_poll``, call :meth:`poll`, and return at once if that leaves ``stopped``.

    :ivar nodes: calls of ``make`` so far.
    :ivar next_poll: the number of nodes at which :meth:`poll` is due; 0 once ``stopped``.
    :ivar stopped: the search is to end; its result is worthless.
    """

    def __init__(self) -> None:
        self.nodes = self.next_poll = 0
        self.stopped = False

    def poll(self) -> None:
        """Decide whether to stop, and when to ask again."""


class Position:
    """A position on a stack of positions: ``make`` pushes, ``unmake`` pops.

    :ivar key: 64-bit hash of the board and the side to move.
    :ivar ply: plies made since the position was set up.
    :ivar exact_reach: :meth:`solve` takes positions with at most this many moves remaining; 0 where there is no solver.
    :ivar selective_reach: from where a selective search leaves the end to it; at most ``exact_reach``.
    :ivar slow: a move may take any time, so a search looks at its clock before each of them.
    """

    def __init__(self) -> None:
        self.key = self.ply = self.first_side = self.exact_reach = self.selective_reach = 0
        self.slow = False

    def generate(self, moves: cython.p_int, start: cython.int) -> cython.int:
        """Write the legal moves to ``moves[start:]`` and return how many; 0 means that the game is over.

        A forced pass is a move. The order is the game's static hint, best guess first.
        """
        return 0

    def generate_noisy(self, moves: cython.p_int, start: cython.int) -> cython.int:
        """Write the moves that quiescence follows to ``moves[start:]``; return how many, or -1 if one must be made.

        -1 stands for a position in which there is nothing to stand pat on: the one legal move is at ``moves[start]``.
        """
        return 0

    def replies(self, move: cython.int, moves: cython.p_int, start: cython.int) -> cython.int:
        """Count the opponent's legal moves after ``move``, the good ones more than once if the game knows them.

        ``moves[start:]`` is room to work in.
        """
        self.make(move)
        count: cython.int = self.generate(moves, start)
        self.unmake()
        return count

    def make(self, move: cython.int) -> None:
        """Make a legal move."""

    def unmake(self) -> None:
        """Take the last move back."""

    def evaluate(self) -> cython.int:
        """Return the static estimate."""
        return 0

    def final_score(self) -> cython.int:
        """Return the value of a game that is over."""
        return 0

    def remaining(self) -> cython.int:
        """Return an upper bound on the moves to come, passes not counted."""
        return UNKNOWN_REMAINING

    def solve(self, alpha: cython.int, beta: cython.int, watch: Watch) -> cython.int:
        """Return the exact value, fail-soft; called only where ``remaining() <= exact_reach``.

        The nodes are counted into ``watch``, which may end it. Without a solver nothing remains: the game is over.
        """
        return self.final_score()

    def shallow_depth(self, depth: cython.int) -> cython.int:
        """Return how deep a search predicts the value of one ``depth`` plies deep (ProbCut).

        It is 0 where the static value does, and -1 where none does. A search to the end of the game is
        :meth:`remaining` plies deep here.
        """
        return -1

    def shallow_error(self, depth: cython.int, shallow: cython.int) -> cython.int:
        """Return the standard deviation of the value at ``depth`` plies from the value at ``shallow`` plies."""
        return 0

    def is_chance(self) -> cython.bint:
        """Tell whether nature is to move, unless the game is over."""
        return False

    def weight(self, move: cython.int) -> cython.int:
        """Return how often nature makes ``move`` here, in proportion to its other moves; 0 where a player moves."""
        return 0

    def count_leaves(self, depth: cython.int) -> cython.ulonglong:
        """Return perft: the leaves ``depth`` plies on, where a finished game counts as one leaf."""
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
        """0 for the first player, 1 for the second; :data:`NATURE` where chance decides."""
        return (self.first_side + self.ply) & 1

    @property
    def next_player(self) -> int:
        """The side to move; at nature's turn the player who moves after it, whose view all scores there take."""
        return self.side_to_move

    @property
    def largest_score(self) -> int:
        """What no score of the game exceeds, either way."""
        return WIN

    def choose_evaluator(self, name: str, file: str = "") -> str:
        """Let :meth:`evaluate` follow another of the game's evaluators from now on, and return its name.

        :param name: of :attr:`Game.evaluators`, or "" for the one that reads ``file``, the first of them without one.
        :param file: what the evaluators that were learnt are to read, "" for what the game brings.
        :raises OptionError: if the game has no evaluator of that name, or none that could read such a file; nothing has
            changed.
        """
        refuse_file(file)
        return evaluator_named((), name)

    def get_ready(self) -> None:
        """Load what the searches of a game would else load when they first need it, on their time.

        :raises QuietmoveError: if that is damaged or not there.
        """

    def forget(self) -> None:
        """Forget what earlier searches left behind, so that the nodes of the next depend on nothing before it."""

    def copy(self) -> Position:
        """Return an independent position with the same board and side to move.

        Its history is empty (``ply`` 0), and its evaluator is the game's first.
        """
        raise NotImplementedError

    def legal_moves(self) -> list[int]:
        """Return the legal moves in the order of :meth:`generate`; empty when the game is over."""
        buffer = cython.declare(cython.int[512])
        count: cython.int = self.generate(buffer, 0)
        self.check()
        return [buffer[i] for i in range(count)]

    def is_over(self) -> bool:
        """Tell whether neither side can move any more."""
        return not self.legal_moves()

    def outcomes(self) -> list[tuple[int, int]]:
        """Return nature's moves, each with its weight; empty where a player is to move or the game is over."""
        weighted = [(move, self.weight(move)) for move in self.legal_moves()]
        return weighted if weighted and weighted[0][1] > 0 else []

    def play(self, move: int) -> None:
        """Make ``move``.

        :raises IllegalMoveError: if it is not legal here; the position is unchanged.
        """
        legal = self.legal_moves()
        if move not in legal:
            raise IllegalMoveError(f"move {move} is not legal here; legal: {legal}")
        self.make(move)

    def undo(self) -> None:
        """Take the last move back.

        :raises IllegalMoveError: if no move was made since the position was set up.
        """
        if self.ply == 0:
            raise IllegalMoveError("there is no move to take back")
        self.unmake()

    def result(self) -> int:
        """Return the final score from the first player's view, in hundredths; meaningful only when the game is over."""
        score: cython.int = self.final_score()
        self.check()
        return -score if self.next_player else score

    def check(self) -> None:
        """Raise what went wrong in the C-level methods since the last call, which cannot raise anything themselves.

        Once something has, they have no moves and no values to offer, so that a search soon ends; its result is
        worthless. All methods that Python calls end with it.
        """

    def static_value(self) -> int:
        """Return :meth:`evaluate`."""
        value: cython.int = self.evaluate()
        self.check()
        return value

    def is_predicted(self, depth: int) -> bool:
        """Tell whether :meth:`shallow_depth` knows of a prediction."""
        return self.shallow_depth(depth) >= 0

    def moves_left(self) -> int:
        """Return :meth:`remaining`."""
        most: cython.int = self.remaining()
        self.check()
        return most

    def perft(self, depth: int) -> int:
        """Return :meth:`count_leaves`."""
        leaves: cython.ulonglong = self.count_leaves(depth)
        self.check()
        return leaves


@dataclass(frozen=True)
class Grid:
    """A board whose squares or columns are the moves of a game, by canonical text: ``d3``, or ``d`` for a column.

    :param columns: how many; the letters a, b … from the left name them.
    :param rows: how many, numbered from 1 at the top; None where a move is a column.
    """

    columns: int
    rows: int | None

    def filled(self, move: str, squares: Callable[[], str]) -> int | None:
        """Return the square that a legal move fills, counted row by row from 0; None if it fills none.

        :param move: its canonical text.
        :param squares: returns the board before it, of which a column's lowest empty square is filled.
        """
        column = ord(move[0]) - ord("a")
        if self.rows is None:
            return self.columns * squares()[column :: self.columns].rindex("-") + column if len(move) == 1 else None
        return self.columns * (int(move[1:]) - 1) + column if move[1:].isdecimal() else None


@dataclass(frozen=True, slots=True)
class BookMove:
    """What an opening book knows of a move.

    :param value: of the position after it, in hundredths of the game's point, from the view of who makes the move.
    :param depth: plies of the search of that position; to the end of the game if it was ``exact``.
    :param below: how many positions of the book can come from that position.
    :param bound: whether the true value is ``value``, or at least (``lower``) or at most (``upper``) that.
    """

    move: int
    value: int
    depth: int
    exact: bool
    below: int
    bound: Literal["exact", "lower", "upper"] = "exact"


class Book(ABC):
    """An opening book: moves whose values are known before the game begins."""

    @abstractmethod
    def moves(self, position: Position) -> list[BookMove]:
        """Return the moves that the book knows in ``position``, best first; empty where it does not know the position.

        The order of moves of one value is the same, turned, in positions that the game's symmetries map to each other.
        """


class Game(ABC):
    """A game by name: how its positions and moves are read, written and drawn.

    :cvar name: the value of the option ``Game``.
    :cvar point: what one point of the score is called (``disc``).
    :cvar players: the names of the first and the second player; a position's text gives the side to move by the letters
        of :attr:`sides`.
    :cvar grid: the board whose squares or columns are the moves; None where moves are something else.
    :cvar kind: ``perfect``, ``chance`` (nature moves too) or ``hidden`` (a player does not see all of the position).
    :cvar move_count: every move is a number from 0 on and below this.
    :cvar evaluators: what :meth:`Position.choose_evaluator` takes, the default first; empty where there is no choice.
    """

    kind: Literal["perfect", "chance", "hidden"] = "perfect"
    grid: Grid | None = None
    move_count: int = 65_536
    evaluators: tuple[str, ...] = ()
    players: tuple[str, str] = ("Black", "White")
    sides: tuple[str, str] = ("X", "O")
    name: str
    point: str

    @abstractmethod
    def initial(self) -> Position:
        """Return the position in which a game begins."""

    def begin(self, seed: int) -> Position:
        """Return the position in which the game with this seed begins; :meth:`initial`, unless cards are dealt."""
        return self.initial()

    @abstractmethod
    def parse_position(self, fields: Sequence[str]) -> Position:
        """Return the position that ``fields`` describe (for Othello: 64 squares and the side to move).

        :raises PositionError: naming the field, what is allowed and what came.
        """

    @abstractmethod
    def format_position(self, position: OwnPosition) -> str:
        """Return the text that :meth:`parse_position` reads, fields separated by one blank."""

    @abstractmethod
    def parse_move(self, position: OwnPosition, text: str) -> int:
        """Return the legal move of the canonical text ``text``, read in any case.

        A pass can be spelled as any of :data:`quietmove.engine.move_text.PASSES`.

        :raises NotationError: if ``text`` is no move of the game.
        :raises IllegalMoveError: if it is one, but not legal in ``position``.
        """

    def require_legal(self, position: OwnPosition, move: int, text: str) -> int:
        """Return ``move``, which ``text`` names.

        :raises IllegalMoveError: if it is not legal in ``position``.
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
        """Return the canonical text of ``move``, one token; other spellings are the protocol's."""

    @abstractmethod
    def draw(self, position: OwnPosition) -> str:
        """Return the board as lines of text for a person, without a final newline."""

    def turn(self, position: OwnPosition) -> str:
        """Return who is to move, ``X (Black) to move``, or ``game over``."""
        side = position.side_to_move
        return "game over" if position.is_over() else f"{self.sides[side]} ({self.players[side]}) to move"

    def squares(self, position: OwnPosition) -> str | None:
        """Return the board row by row from the top: a letter for a piece, ``-`` where there is none.

        None in a game without :attr:`board_columns`, where only :meth:`draw` shows the position.
        """
        return None

    def squares_of(self, position: OwnPosition, move: int) -> tuple[int, ...]:
        """Return the squares of a legal move on the board of :meth:`squares`, counted row by row from 0.

        ``(target,)`` for a move that fills a square, ``(origin, target)`` for a piece that moves, ``()`` for all else,
        such as a pass or a roll. The default fills the squares of :attr:`grid`.
        """
        if self.grid is None:
            return ()
        target = self.grid.filled(self.format_move(move), lambda: self.squares(position) or "")
        return () if target is None else (target,)

    def planes(self, position: OwnPosition, side: int) -> tuple[int, list[list[int]]] | None:
        """Return what the player ``side`` knows of the position as numbers, for programs that learn.

        The first number is how many columns a plane has. Each plane is a list of numbers from 0 to 255, row by row from
        the top. The default has one plane of the player's own pieces and one of the other's, 1 where one stands; it is
        None in a game without a board.
        """
        squares = self.squares(position)
        if squares is None or self.board_columns is None:
            return None
        owners = [EMPTY_SQUARE if piece == "-" else self.owner(piece) for piece in squares]
        return self.board_columns, [[int(owner == each) for owner in owners] for each in (side, 1 - side)]

    def picture(self, position: OwnPosition, viewer: int | None = None) -> Picture | None:
        """Return the position as a picture, with its last move as far as its history goes; None if there is none.

        A game with a board of squares needs none.

        :param viewer: the player who looks at it, with hidden information; None sees all.
        """
        return None

    @property
    def board_columns(self) -> int | None:
        """The squares in a row of :meth:`squares`; None in a game whose board has none."""
        return None if self.grid is None else self.grid.columns

    def column_name(self, column: int) -> str:
        """Return what stands above a column of :meth:`squares`, counted from 0; with a row's it names a square."""
        return chr(ord("a") + column)

    def row_name(self, row: int) -> str:
        """Return what stands beside a row, counted from 0 at the top; "" where the column alone names a square."""
        return str(row + 1)

    def owner(self, piece: str) -> int:
        """Return the side whose piece a letter of :meth:`squares` is."""
        return self.sides.index(piece)

    @property
    def dark_side(self) -> int:
        """The side whose pieces are drawn dark: the first player's, unless those are White's by name."""
        return int(self.players[0].casefold() == "white")

    def explain(self, position: OwnPosition) -> list[tuple[str, int]]:
        """Return the terms of the evaluation by name, in hundredths from the side to move; their sum is the value."""
        return [("value", position.static_value())]

    def theory(self, position: OwnPosition) -> list[str]:
        """Return what mathematics says of a position, a line each; nothing in most games."""
        return []

    def known(self) -> Book | None:
        """Return a book of all positions, where a theory knows their values, so that none is searched; else None."""
        return None

    def canonical(self, position: OwnPosition) -> str:
        """Return one text for all positions that the game's symmetries map to each other."""
        return self.format_position(position)

    def open_book(self, file: str = "") -> Book | None:
        """Return the opening book of a file, or with "" that of the game, None if it brings none.

        :raises OptionError: if the file is no book of this game.
        """
        if file:
            raise OptionError(f"option BookFile: must be default, since {self.name} has no opening book, not {file!r}")
        return None

    def parse_record(self, text: str) -> tuple[Position, tuple[int, ...]]:
        """Return the beginning and the moves of a game, forced passes too, in the format its programs exchange.

        :raises GameError: if the game has no such format, or ``text`` is no game in it.
        """
        raise GameError(f"game {self.name}: it has no format of games to read")

    def view(self, position: OwnPosition, side: int) -> str:
        """Return what the player ``side`` knows of the position, as text that :meth:`parse_position` reads."""
        return self.format_position(position)

    def deals(self, position: OwnPosition) -> list[tuple[Position, int]]:
        """Return every whole position that the view ``position`` may stand for, each with its weight.

        A weight is a whole number from 1, in proportion to the probability of the deal given the view.

        :raises PositionError: if it stands for none.
        """
        return [(position, 1)]


def refuse_file(file: str) -> None:
    """Return if ``file`` is empty; for a game whose evaluators read none.

    :raises OptionError: if one came.
    """
    if file:
        raise OptionError(f"option EvalFile: must be default, since no evaluator here reads a file, not {file!r}")


def evaluator_named(names: Sequence[str], name: str) -> str:
    """Return ``name``, or the first of ``names`` where it is empty.

    :param names: the evaluators of a game.
    :raises OptionError: if it is not among them.
    """
    if name and name not in names:
        allowed = f"{', '.join(names)} or default" if names else "default, since this game has no choice"
        raise OptionError(f"option Evaluation: must be {allowed}, not {name!r}")
    return name or (names[0] if names else "")
