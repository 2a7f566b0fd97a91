"""The Python API for scripts and notebooks: positions and their analysis.

``import quietmove`` exports everything here. Moves are strings in canonical notation (``f5``, ``pass``), scores are
integers in hundredths of a point (in Othello, a disc), and times are in milliseconds. Invalid arguments raise the
errors of :mod:`quietmove.engine.errors`; their messages name the argument, the expected value and the value received.
"""

from __future__ import annotations

import queue
import time
import weakref
from collections.abc import AsyncIterator, Callable, Generator, Iterable, Iterator, Mapping
from dataclasses import dataclass, fields
from html import escape
from typing import TYPE_CHECKING, Any, TypeAlias

from quietmove.engine.common.entry import take
from quietmove.engine.common.errors import ArgumentError
from quietmove.engine.errors import (
    GameError,
    NotationError,
    OptionError,
    PositionError,
    UnknownGameError,
    require_text,
)
from quietmove.engine.games.base import DECISIVE, NATURE
from quietmove.engine.games.optional import HiddenCards
from quietmove.engine.games.registry import game_names, get_game
from quietmove.engine.limit import Limit, as_limit
from quietmove.engine.protocol.describe import short_score
from quietmove.engine.protocol.notation import play_moves, read_move
from quietmove.engine.protocol.options import apply_option, find_option
from quietmove.engine.protocol.pictures import EMPTY, Marks, board_html, board_svg, last_marks, table_html
from quietmove.engine.session import Session
from quietmove.engine.values import Info, Score, SearchResult

if TYPE_CHECKING:
    from quietmove.engine.games.othello.public_board import Board

__all__ = ["Analysis", "Info", "Limit", "Position", "Score", "analyse", "games"]

# Algorithms that use no transposition table by default, so that node counts match the textbook algorithms.
PLAIN_ALGORITHMS = ("minimax", "alphabeta")
USUAL_PLAYERS = {"Black": "black", "White": "white"}
SHOWN_EVERY = 0.1  # minimum time in seconds between two redraws during a search
NO_CHOICE = "position: there is no move to choose"
LIMIT_NAMES = frozenset(field.name for field in fields(Limit))


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

    def svg(self, values: Mapping[str, Score] | None = None) -> str | None:
        """Return an SVG picture of the position with the last move marked, or None if the game has no picture.

        :param values: scores to draw on legal moves, best move first. Where a piece moves, the score is drawn at an
            arrow. Example: ``{info.move: info.score for info in analyse(…, multipv=4)}``.
        :raises NotationError, IllegalMoveError: if a key is not a legal move.
        :raises ArgumentError: if ``values`` is not a mapping of moves to scores.
        """
        scores = {} if values is None else values
        if not isinstance(scores, Mapping) or not all(isinstance(score, Score) for score in scores.values()):
            raise ArgumentError(f"values: must be a mapping of moves to quietmove.Score, not {values!r}")
        texts = {}
        for move, score in scores.items():
            require_text("move", move, NotationError)
            texts[read_move(self._game, self._position, move)] = short_score(score.value)
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


@dataclass(frozen=True, slots=True)
class AnalysisEnd:
    """The end of a search with its best move."""

    move: str


News: TypeAlias = "Info[str] | AnalysisEnd | Exception"


class Analysis:
    """A running search, as started by :func:`analyse` or ``Engine.analyse``.

    Iterating yields each :class:`Info` as the search reports it, from the first one every time, and waits while the
    search runs; ``async for`` waits without blocking other tasks. ``await analysis`` returns the best move.

    The search stops at the end of the ``with`` block, or when the analysis is no longer referenced, for example after
    a ``break`` out of ``for info in analyse(…)``.
    """

    def __init__(self, position: Position, *, is_limited: bool) -> None:
        self._root = position.copy()
        self._is_limited = is_limited
        self._news: queue.SimpleQueue[News] = queue.SimpleQueue()
        self._infos: list[Info[str]] = []
        self._end: AnalysisEnd | Exception | None = None
        self._stop: Callable[[], None] = lambda: None

    def __iter__(self) -> Iterator[Info[str]]:
        position = 0
        while position < len(self._infos) or self._receive():
            yield self._infos[position]
            position += 1

    async def __aiter__(self) -> AsyncIterator[Info[str]]:
        import asyncio  # slow, and few programs need it

        position = 0
        while position < len(self._infos) or await asyncio.to_thread(self._receive):
            yield self._infos[position]
            position += 1

    def __await__(self) -> Generator[Any, None, str]:
        async def wait() -> str:
            async for _ in self:
                pass
            return self.best_move

        return wait().__await__()

    def _receive(self) -> bool:
        """Wait for the next report and return whether there is one; False means that the search has ended."""
        if self._end is None:
            news = take(self._news)
            if isinstance(news, Info):
                self._infos.append(news)
                return True
            self._end = news
        if isinstance(self._end, Exception):
            raise self._end
        return False

    def stop(self) -> None:
        """Stop the search. The results found so far remain available."""
        self._stop()

    @property
    def infos(self) -> tuple[Info[str], ...]:
        """The reports so far, without waiting for more."""
        while self._end is None and not self._news.empty():
            self._receive()
        return tuple(self._infos)

    @property
    def best_move(self) -> str:
        """The best move. Waits for the end of the search."""
        while self._receive():
            pass
        assert isinstance(self._end, AnalysisEnd)
        return self._end.move

    def __repr__(self) -> str:
        """Describe the reports so far, without waiting for more."""
        infos = self.infos
        if not infos:
            return f"<Analysis of {self._root.game}: iterate over it, or ask for its best_move>"
        last = next(info for info in reversed(infos) if info.rank == 1)
        end = f"best move {self._end.move}" if isinstance(self._end, AnalysisEnd) else "running"
        score = short_score(last.score.value, last.score.bound)
        return f"<Analysis of {self._root.game}: depth {last.depth}, score {score}, line {' '.join(last.pv)}, {end}>"

    def _repr_html_(self) -> str:
        """Return a table of the reports so far. If the search has a limit, wait until it ends."""
        while self._is_limited and self._receive():
            pass
        return self._table()

    def _table(self) -> str:
        rows = [
            (info.depth, short_score(info.score.value, info.score.bound), info.nodes, info.time, " ".join(info.pv))
            for info in self.infos
        ]
        end = self._end
        best = end.move if isinstance(end, AnalysisEnd) else "not yet known"
        return table_html(("depth", "score", "nodes", "ms", "line"), rows, f"best move: {best}")

    def show(self) -> Analysis:
        """Show the board and the table of iterations in a notebook, updated until the search ends.

        Returns this analysis once the search has ended. With a semicolon at the end of the cell, as in
        ``analyse(position, Limit(movetime=5000), multipv=3).show();``, the notebook does not display it a second time.

        :raises OptionError: if IPython is not installed, or if the search has no limit.
        """
        try:
            from IPython.display import HTML, display
        except ModuleNotFoundError:
            raise OptionError("show() needs IPython; call it in a notebook") from None
        if not self._is_limited:
            raise OptionError("show() waits for the end of the search; set a Limit that is not infinite")
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
        last_infos = {info.rank: info for info in self.infos if info.pv}
        values = {last_infos[rank].move: last_infos[rank].score for rank in sorted(last_infos)}
        board = self._root.svg(values) or f"<pre>{escape(str(self._root))}</pre>"
        return f"<div>{board}</div>{self._table()}"

    def __enter__(self) -> Analysis:
        return self

    def __exit__(self, *details: object) -> None:
        self.stop()


def analyse(position: Position | Board, limit: Limit | str, **options: object) -> Analysis:
    """Search a position in this process.

    :param limit: when the search ends: a :class:`Limit`, or its text, such as ``depth=8``.
    :param options: engine options by name, ignoring case: ``hash=64``, ``ordering="mobility"``, ``multipv=3``. With
        ``algorithm="minimax"`` or ``"alphabeta"`` no transposition table is used unless ``hash`` is given. Node counts
        include all iterations: the complete tree of tic-tac-toe has 549,945 nodes, and the first iteration adds 9.
    :raises LimitsError, OptionError, PositionError: if an argument is invalid.
    :raises GameError: if the game is over.
    """
    root, limit = as_position(position), as_limit(limit)
    if root.is_over:
        raise GameError(NO_CHOICE)
    chosen = {name.lower(): value for name, value in options.items()}
    for name in chosen:
        if name in LIMIT_NAMES:
            raise OptionError(f"no option {name!r}; write analyse(position, Limit({name}=…))")
    if "game" in chosen:
        raise PositionError("game: cannot be given; the position determines the game")
    if str(chosen.get("algorithm")).lower() in PLAIN_ALGORITHMS:
        chosen.setdefault("hash", 0)
    session = Session()
    apply_option(session, find_option("game"), root.game)
    for name, value in chosen.items():
        apply_option(session, find_option(name), str(value).lower() if isinstance(value, bool) else str(value))
    session.set_up(root._position.copy())
    analysis = Analysis(root, is_limited=not limit.infinite)
    format_move, report = root._game.format_move, analysis._news.put

    def finish(result: SearchResult) -> None:
        assert result.move is not None, "the game is not over"
        report(AnalysisEnd(format_move(result.move)))

    def stop() -> None:
        session.stop()
        session.close()

    analysis._stop = stop
    session.go(limit.search_limits(), lambda info: report(info.with_moves(format_move)), finish, report)
    weakref.finalize(analysis, session.close)  # stop the search when the analysis is no longer referenced
    return analysis
