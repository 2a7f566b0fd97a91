"""The Python API for scripts and notebooks: positions and their analysis.

``import quietmove`` exports everything here. Moves are strings in canonical notation (``f5``, ``pass``), scores are
integers in hundredths of a point (in Othello, a disc), and times are in milliseconds. Invalid arguments raise the
errors of :mod:`quietmove.engine.errors`; their messages name the argument, the expected value and the value received.
"""

from __future__ import annotations

import queue
import time
import weakref
from collections.abc import Iterable, Iterator, Mapping
from html import escape
from typing import TYPE_CHECKING

from quietmove.engine.common.text import nearest
from quietmove.engine.errors import (
    LimitsError,
    NotationError,
    OptionError,
    PositionError,
    UnknownGameError,
    require_text,
)
from quietmove.engine.games.base import DECISIVE, NATURE
from quietmove.engine.games.optional import HiddenCards
from quietmove.engine.games.registry import game_names, get_game
from quietmove.engine.protocol.describe import short_score
from quietmove.engine.protocol.lines import MAX_LIMIT
from quietmove.engine.protocol.notation import play_moves, read_move
from quietmove.engine.protocol.options import OPTIONS, apply_option, find_option
from quietmove.engine.protocol.pictures import EMPTY, Marks, board_html, board_svg, last_marks, table_html
from quietmove.engine.session import Session
from quietmove.engine.values import Info, Limits, SearchResult

if TYPE_CHECKING:
    from quietmove.engine.games.othello.public_board import Board

__all__ = ["Analysis", "Info", "Position", "analyse", "games"]

# Algorithms that use no transposition table by default, so that node counts match the textbook algorithms.
PLAIN_ALGORITHMS = ("minimax", "alphabeta")
USUAL_PLAYERS = {"Black": "black", "White": "white"}
SHOWN_EVERY = 0.1  # minimum time in seconds between two redraws during a search
MIN_LIMITS = {"depth": 1, "nodes": 1, "movetime": 0}


def games() -> list[str]:
    """Return the names of all available games, including those of installed packages."""
    return game_names()


class Position:
    """A position of a game, with the moves that led to it. :meth:`push` and :meth:`pop` change it.

    Two positions are equal if their :attr:`key` is equal, that is, their game and :attr:`fen`, however they were
    reached. A position can change, so it is not hashable: put its key into sets and dictionaries. Positions can be
    pickled.

    :param game: a name from :func:`games`, optionally followed by the game's parameters: ``connect 7x6x4``.
    :param fen: the position in the game's own notation (see :attr:`fen`). Default: the initial position.
    :param moves: moves to play from there, in any notation of the game: ``"f5 d6 c3"``, ``"f5d6c3"``, or a list.
    :raises UnknownGameError, PositionError, NotationError, IllegalMoveError: if an argument is invalid.
    """

    def __init__(self, game: str = "othello", fen: str | None = None, moves: str | Iterable[str] = "") -> None:
        require_text("game", game, UnknownGameError)
        if fen is not None:
            require_text("fen", fen, PositionError)
        self._game = get_game(game)
        self._position = self._game.initial() if fen is None else self._game.parse_position(fen.split())
        self._moves: list[int] = []
        self._start = fen
        self.push(moves)

    @property
    def game(self) -> str:
        """The name of the game, including its parameters."""
        return self._game.name

    @property
    def moves(self) -> tuple[str, ...]:
        """The moves played since the starting position."""
        return tuple(map(self._game.format_move, self._moves))

    @property
    def fen(self) -> str:
        """The position in the game's text notation."""
        return self._game.format_position(self._position)

    @property
    def key(self) -> tuple[str, str]:
        """The game and :attr:`fen`, for sets and dictionaries."""
        return self.game, self.fen

    @property
    def players(self) -> tuple[str, str]:
        """The names of the two players, first player first: ``black`` and ``white``, or the game's own, as ``X``."""
        first, second = (USUAL_PLAYERS.get(name, name) for name in self._game.players)
        return first, second

    @property
    def turn(self) -> str:
        """The side to move, one of :attr:`players`, or ``nature`` at a chance node."""
        side = self._position.side_to_move
        return "nature" if side == NATURE else self.players[side]

    @property
    def is_over(self) -> bool:
        """Whether the game is over."""
        return self._position.is_over()

    @property
    def result(self) -> float | None:
        """The first player's winning margin in points (negative for a loss, 0 for a draw), or None during the game.

        In games without points it is 1, 0 or -1.
        """
        if not self.is_over:
            return None
        score = self._position.result()
        return score / 100 if abs(score) <= DECISIVE else (score > 0) - (score < 0)

    @property
    def legal_moves(self) -> list[str]:
        """The legal moves: ``["pass"]`` if passing is the only one, ``[]`` if the game is over."""
        return [self._game.format_move(move) for move in self._position.legal_moves()]

    def read(self, move: str) -> str:
        """Parse a move in any supported notation and return it in the notation of :attr:`legal_moves`.

        :raises NotationError: if the text is not a move.
        :raises IllegalMoveError: if the move is not legal here.
        """
        require_text("move", move, NotationError)
        return self._game.format_move(read_move(self._game, self._position, move))

    def push(self, moves: str | Iterable[str]) -> Position:
        """Make one or more moves, in any notation of the game, and return this position.

        :raises NotationError, IllegalMoveError: if a move is invalid; the position is then unchanged.
        """
        try:
            words = (moves if isinstance(moves, str) else " ".join(moves)).split()
        except TypeError:
            raise NotationError(f"moves: must be a string or a list of strings, not {moves!r}") from None
        self._moves += play_moves(self._game, self._position, words)
        return self

    def pop(self) -> str:
        """Take back the last move and return it.

        :raises IllegalMoveError: if there is no move to take back.
        """
        self._position.undo()
        return self._game.format_move(self._moves.pop())

    def evaluate(self) -> int:
        """Return the static evaluation, in hundredths, from the side to move's point of view."""
        return self._position.static_value()

    def known_to_the_side_to_move(self) -> str | None:
        """Return the side to move's view of the position as text, or None if the moves alone determine it.

        In a game with hidden information the view omits what the side to move cannot see.
        """
        if isinstance(self._game, HiddenCards):
            return self._game.view(self._position, self._position.side_to_move)
        return None if self._start is None else self.fen

    def __getitem__(self, square: str) -> str:
        """Return the piece on a square such as ``d4`` by its letter in :attr:`fen`, or ``-`` if the square is empty.

        :raises NotationError: if there is no such square.
        """
        pieces = self._pieces()
        columns = self._game.board_columns or 1
        names = [self._game.column_name(i % columns) + self._game.row_name(i // columns) for i in range(len(pieces))]
        if (name := str(square).lower()) not in names:
            raise NotationError(f"square: must be one from {names[0]} to {names[-1]}, not {square!r}")
        return pieces[names.index(name)]

    __iter__ = None  # otherwise Python would iterate by indexing with 0, 1, …
    __contains__ = None

    @property
    def discs(self) -> tuple[int, int]:
        """The number of pieces (such as discs) that each player has on the board, in the order of :attr:`players`.

        :raises PositionError: if the game is not played on a board of squares.
        """
        owners = [self._game.owner(piece) for piece in self._pieces() if piece != EMPTY]
        return owners.count(0), owners.count(1)

    def _pieces(self) -> str:
        """Return the board row by row, or raise PositionError if the game is not played on squares."""
        if (pieces := self._game.squares(self._position)) is None:
            raise PositionError(f"game: {self.game} is not played on a board of squares")
        return pieces

    def __eq__(self, other: object) -> bool:
        return self.key == other.key if isinstance(other, Position) else NotImplemented

    __hash__ = None  # type: ignore[assignment]  # see key

    def __reduce__(self) -> tuple[type[Position], tuple[str, str | None, tuple[str, ...]]]:
        return Position, (self.game, self._start, self.moves)

    def copy(self, *, moves: bool = True) -> Position:
        """Return an independent copy.

        :param moves: whether the copy keeps the moves made, so that they can be taken back in it.
        """
        if not moves:
            return Position(self.game, self.fen)
        other = Position(self.game, self._start)
        for move in self._moves:
            other._position.play(move)
        other._moves = self._moves[:]
        return other

    def svg(self, values: Mapping[str, int] | None = None) -> str | None:
        """Return an SVG picture of the position with the last move marked, or None if the game has no picture.

        :param values: scores to draw on legal moves, in hundredths of a point, best move first. Where a piece
            moves, the score is drawn at an arrow. Example: ``{info.move: info.score.value for info in analyse(…,
            multipv=4)}``.
        :raises NotationError, IllegalMoveError: if a key is not a legal move.
        """
        texts = {
            read_move(self._game, self._position, move): short_score(value) for move, value in (values or {}).items()
        }
        return board_svg(self._game, self._position, self._last_move(), texts)

    def _repr_svg_(self) -> str | None:
        return self.svg()

    def _repr_html_(self) -> str:
        return board_html(self._game, self._position, self._last_move())

    def _last_move(self) -> Marks:
        return last_marks(self._game, self._position, self._moves)

    def __str__(self) -> str:
        return self._game.draw(self._position)

    def __repr__(self) -> str:
        return f"Position({self.game!r}, {self.fen!r})"


def as_position(position: object) -> Position:
    """Return ``position`` as a :class:`Position`, converting it if it is a :class:`quietmove.Board`.

    :raises PositionError: if it is neither.
    """
    if isinstance(position, Position):
        return position
    from quietmove.engine.games.othello.public_board import Board  # loads Othello, which other games do not need

    if not isinstance(position, Board):
        raise PositionError(f"position: must be a quietmove.Position or quietmove.Board, not {position!r}")
    return Position(fen=position.fen)


class Analysis:
    """A running search, created by :func:`analyse`: an iterator of :class:`Info` and a context manager.

    The search stops at the end of the ``with`` block, or when the analysis is no longer referenced, for example after
    a ``break`` out of ``for info in analyse(…)``.
    """

    def __init__(self, position: Position, limits: Limits, options: dict[str, object]) -> None:
        self._session = Session()
        apply_option(self._session, find_option("game"), position.game)
        chosen = {name.lower(): value for name, value in options.items()}
        if str(chosen.get("algorithm")).lower() in PLAIN_ALGORITHMS:
            chosen.setdefault("hash", 0)
        for name, value in chosen.items():
            text = str(value).lower() if isinstance(value, bool) else str(value)
            apply_option(self._session, find_option(name), text)
        self._game = position._game
        self._root = Position(position.game, position._start, position.moves)
        self._session.set_up(position._position.copy())
        self._news: queue.SimpleQueue[Info[int] | SearchResult | Exception] = queue.SimpleQueue()
        self._best: str | None = None
        self._over = False
        self._told: list[Info[str]] = []
        self._is_limited = limits != Limits()
        self._session.go(limits, self._news.put, self._news.put, self._news.put)
        weakref.finalize(self, self._session.close)  # stop the search when the analysis is no longer referenced

    def __iter__(self) -> Iterator[Info[str]]:
        return self

    def __next__(self) -> Info[str]:
        if self._over:
            raise StopIteration
        news = self._news.get()
        if isinstance(news, Info):
            self._told.append(news.with_moves(self._game.format_move))
            return self._told[-1]
        if isinstance(news, SearchResult):
            self._over = True
            self._best = None if news.move is None else self._game.format_move(news.move)
            raise StopIteration
        self.stop()
        raise news

    def stop(self) -> None:
        """Stop the search and its thread. Results found so far remain available."""
        self._session.stop()
        self._session.close()

    @property
    def best_move(self) -> str | None:
        """The best move, or None if the game is over. Waits for the end of the search."""
        for _ in self:
            pass
        return self._best

    def __repr__(self) -> str:
        """Describe the iterations read so far, without waiting for more."""
        if not self._told:
            return f"<Analysis of {self._game.name}: iterate over it, or ask for its best_move>"
        last = next(info for info in reversed(self._told) if info.rank == 1)
        end = f"best move {self._best}" if self._over else "running"
        score = short_score(last.score.value, last.score.bound)
        return f"<Analysis of {self._game.name}: depth {last.depth}, score {score}, line {' '.join(last.pv)}, {end}>"

    def _repr_html_(self) -> str:
        """Return a table of the iterations so far. If the search has a limit, wait until it ends."""
        while not self._over and (self._is_limited or not self._news.empty()):
            next(self, None)
        return self._table()

    def _table(self) -> str:
        rows = [
            (info.depth, short_score(info.score.value, info.score.bound), info.nodes, info.time, " ".join(info.pv))
            for info in self._told
        ]
        best = self._best or ("none, the game is over" if self._over else "not yet known")
        return table_html(("depth", "score", "nodes", "ms", "line"), rows, f"best move: {best}")

    def show(self) -> Analysis:
        """Show the board and the table of iterations in a notebook, updated until the search ends.

        Returns this analysis once the search has ended. With a semicolon at the end of the cell, as in
        ``analyse(position, movetime=5000, multipv=3).show();``, the notebook does not display it a second time.

        :raises OptionError: if IPython is not installed, or if the search has no limit.
        """
        try:
            from IPython.display import HTML, display
        except ModuleNotFoundError:
            raise OptionError("show() needs IPython; call it in a notebook") from None
        if not self._is_limited:
            raise OptionError("show() waits for the end of the search; set depth, nodes or movetime")
        shown = 0.0
        place = display(HTML(self._picture()), display_id=True)
        for _ in self:
            if time.monotonic() > shown + SHOWN_EVERY:
                place.update(HTML(self._picture()))
                shown = time.monotonic()
        place.update(HTML(self._picture()))
        return self

    def _picture(self) -> str:
        """Return the board with the values of the last iteration, followed by the table of all iterations so far."""
        last_infos = {info.rank: info for info in self._told}
        values = {last_infos[rank].move: last_infos[rank].score.value for rank in sorted(last_infos)}
        board = self._root.svg(values) or f"<pre>{escape(str(self._root))}</pre>"
        return f"<div>{board}</div>{self._table()}"

    def __enter__(self) -> Analysis:
        return self

    def __exit__(self, *details: object) -> None:
        self.stop()


def analyse(
    position: Position | Board,
    *,
    depth: int | None = None,
    nodes: int | None = None,
    movetime: int | None = None,
    **options: object,
) -> Analysis:
    """Search a position in this process until the first limit is reached or the game is solved.

    :param depth: maximum depth in plies.
    :param nodes: maximum number of nodes (moves made).
    :param movetime: maximum time in milliseconds.
    :param options: engine options by name, ignoring case: ``hash=64``, ``ordering="mobility"``, ``multipv=3``. With
        ``algorithm="minimax"`` or ``"alphabeta"`` no transposition table is used unless ``hash`` is given. Node counts
        include all iterations: the complete tree of tic-tac-toe has 549,945 nodes, and the first iteration adds 9.
    :return: an iterator of :class:`Info`; its ``best_move`` is the move to play.
    :raises LimitsError, OptionError, PositionError, GameError: if an argument is invalid.
    """
    root = as_position(position)
    given = {"depth": depth, "nodes": nodes, "movetime": movetime}
    for name, value in given.items():
        if value is not None and not (isinstance(value, int) and MIN_LIMITS[name] <= value <= MAX_LIMIT):
            allowed = f"a whole number from {MIN_LIMITS[name]} to {MAX_LIMIT}"
            raise LimitsError(f"{name}: must be {allowed}, not {value!r}")
    known = {option.name.lower() for option in OPTIONS}
    for name in options:
        if name.lower() not in known and (limit := nearest(name, given)):
            raise OptionError(f"no option {name!r}; did you mean {limit!r}?")
    if "game" in {name.lower() for name in options}:
        raise PositionError("game: cannot be given; the position determines the game")
    return Analysis(root, Limits(depth=depth, nodes=nodes, movetime=movetime), options)
