"""The package for scripts and notebooks: positions, analysis, other engines, judged games.

Everything here is offered by ``import quietmove``. A move is its canonical text (``f5``, ``pass``), a score an ``int``
in hundredths of the game's point, a time in milliseconds. What is not allowed raises an error of
:mod:`quietmove.engine.errors`, whose message names the thing, what it must be and what it was.
"""

from __future__ import annotations

import queue
import time
import weakref
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from html import escape

from quietmove.engine.common.text import nearest
from quietmove.engine.errors import GameError, LimitsError, NotationError, OptionError, PositionError, UnknownGameError
from quietmove.engine.games.base import DECISIVE, NATURE
from quietmove.engine.games.registry import game_names, get_game
from quietmove.engine.protocol.describe import short_score
from quietmove.engine.protocol.lines import LARGEST_LIMIT
from quietmove.engine.protocol.notation import play_moves, read_move
from quietmove.engine.protocol.options import OPTIONS, apply_option, find_option
from quietmove.engine.protocol.pictures import EMPTY, Marks, board_html, board_svg, last_marks, table_html
from quietmove.engine.session import Session
from quietmove.engine.values import Bound, Limits, SearchResult
from quietmove.engine.values import Info as SearchInfo

__all__ = ["Analysis", "Info", "Position", "analyse", "games"]

# These have no table unless it is asked for: their nodes are the textbook's.
PLAIN_ALGORITHMS = ("minimax", "alphabeta")
SHOWN_EVERY = 0.1  # seconds at least between two pictures of a search that runs
LEAST_LIMITS = {"depth": 1, "nodes": 1, "movetime": 0}


def games() -> list[str]:
    """Return the names of the games that can be played, installed ones included."""
    return game_names()


class Position:
    """A position of a game with the moves that led to it.

    Positions are equal, and have one hash, if game and :attr:`fen` are the same, however they were reached; so one that
    is in a set, or a key of a dict, must not be played on. They can be pickled.

    :param game: a name of :func:`games`, after a blank the parameters that the game takes: ``connect 7x6x4``.
    :param fen: the fields that the game writes for a position (:attr:`fen`); the initial position if it is left out.
    :param moves: moves to make from there, in any notation of the game: ``"f5 d6 c3"``, ``"f5d6c3"``, or one by one.
    :raises UnknownGameError, PositionError, NotationError, IllegalMoveError: if there is no such position.
    """

    def __init__(self, game: str = "othello", fen: str | None = None, moves: str | Iterable[str] = "") -> None:
        require_text("game", game, UnknownGameError)
        if fen is not None:
            require_text("fen", fen, PositionError)
        self._game = get_game(game)
        self._position = self._game.initial() if fen is None else self._game.parse_position(fen.split())
        self._moves: list[int] = []
        self._start = fen
        self.play(moves)

    @property
    def game(self) -> str:
        """The name of the game with its parameters."""
        return self._game.name

    @property
    def moves(self) -> tuple[str, ...]:
        """The moves that were made since the position was set up."""
        return tuple(map(self._game.format_move, self._moves))

    @property
    def fen(self) -> str:
        """The position as text."""
        return self._game.format_position(self._position)

    @property
    def players(self) -> tuple[str, str]:
        """The names of the two players, the one who begins the game first."""
        return self._game.players

    @property
    def side_to_move(self) -> str:
        """The name of the player to move, such as ``Black``; ``nature`` where chance decides."""
        side = self._position.side_to_move
        return "nature" if side == NATURE else self._game.players[side]

    @property
    def is_over(self) -> bool:
        """Whether neither side can move."""
        return self._position.is_over()

    @property
    def result(self) -> float | None:
        """The points by which the first player has won: 0 for a draw, below 0 for a loss, None while the game goes on.

        In a game that is only won, drawn or lost this is 1, 0 or -1.
        """
        if not self.is_over:
            return None
        score = self._position.result()
        return score / 100 if abs(score) <= DECISIVE else (score > 0) - (score < 0)

    def legal_moves(self) -> list[str]:
        """Return the legal moves; ``["pass"]`` where there is no other, nothing when the game is over."""
        return [self._game.format_move(move) for move in self._position.legal_moves()]

    def read(self, move: str) -> str:
        """Return the legal move that ``move`` spells in any way that is read, as :meth:`legal_moves` has it.

        :raises NotationError, IllegalMoveError: if it spells none.
        """
        require_text("move", move, NotationError)
        return self._game.format_move(read_move(self._game, self._position, move))

    def play(self, moves: str | Iterable[str]) -> Position:
        """Make one move or several, in any notation of the game, and return this position.

        :raises NotationError, IllegalMoveError: naming the move; the position is unchanged.
        """
        try:
            words = (moves if isinstance(moves, str) else " ".join(moves)).split()
        except TypeError:
            raise NotationError(f"moves: must be text, or several texts, not {moves!r}") from None
        self._moves += play_moves(self._game, self._position, words)
        return self

    def undo(self) -> Position:
        """Take the last move back, and return this position.

        :raises IllegalMoveError: if no move was made since the position was set up.
        """
        self._position.undo()
        self._moves.pop()
        return self

    def evaluate(self) -> int:
        """Return the static estimate from the side to move."""
        return self._position.static_value()

    def known_to_the_side_to_move(self) -> str | None:
        """Return what the side to move knows, as text, where the moves from the start do not say it; else None."""
        if self._game.kind == "hidden":
            return self._game.view(self._position, self._position.side_to_move)
        return None if self._start is None else self.fen

    def __getitem__(self, square: str) -> str:
        """Return the piece on a square such as ``d4``, by its letter in :attr:`fen`; ``-`` where there is none.

        :raises NotationError: if there is no such square.
        """
        pieces, columns = self._pieces(), self._game.board_columns or 1
        names = [self._game.column_name(i % columns) + self._game.row_name(i // columns) for i in range(len(pieces))]
        if (name := str(square).lower()) not in names:
            raise NotationError(f"square: must be one from {names[0]} to {names[-1]}, not {square!r}")
        return pieces[names.index(name)]

    __iter__ = None  # without this, Python would ask for the squares 0, 1, …
    __contains__ = None

    @property
    def discs(self) -> dict[str, int]:
        """How many discs or other pieces each player has on the board, by the players' names."""
        owners = [self._game.owner(piece) for piece in self._pieces() if piece != EMPTY]
        return {player: owners.count(side) for side, player in enumerate(self.players)}

    def _pieces(self) -> str:
        """Return the board row by row.

        :raises PositionError: if the game has none.
        """
        if (pieces := self._game.squares(self._position)) is None:
            raise PositionError(f"game: must be one on a board of squares, not {self.game}")
        return pieces

    def __eq__(self, other: object) -> bool:
        return (self.game, self.fen) == (other.game, other.fen) if isinstance(other, Position) else NotImplemented

    def __hash__(self) -> int:
        return hash((self.game, self.fen))

    def __reduce__(self) -> tuple[type[Position], tuple[str, str | None, tuple[str, ...]]]:
        return Position, (self.game, self._start, self.moves)

    def copy(self) -> Position:
        """Return an independent copy, without the moves that led here."""
        return Position(self.game, self.fen)

    def svg(self, values: Mapping[str, int] | None = None) -> str | None:
        """Return the board or the game's own picture in SVG, the last move marked; None where there is neither.

        :param values: legal moves with hundredths of the game's point, the best first, which are written on the board,
            at an arrow where a piece moves: ``{info.move: info.score for info in analyse(…, multipv=4)}``.
        :raises NotationError, IllegalMoveError: if one is no legal move.
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


def require_text(name: str, value: object, error: type[GameError]) -> None:
    """Check that an argument is text.

    :raises GameError: of the class ``error``, if it is not.
    """
    if not isinstance(value, str):
        raise error(f"{name}: must be text, not {value!r}")


def require_position(position: object) -> None:
    """Check that a position is one of this module, and not its text.

    :raises PositionError: if it is not.
    """
    if not isinstance(position, Position):
        raise PositionError(f"position: must be a quietmove.Position, not {position!r}")


@dataclass(frozen=True, slots=True)
class Info:
    """One iteration of a search, completed, or cut off with a better answer than the one before it.

    :param depth: plies of the iteration; ``seldepth`` the deepest ply reached.
    :param rank: 1 for the best line; more with ``multipv``.
    :param score: hundredths of the game's point, from the side to move; ``bound`` says whether that is exact.
    :param nodes: moves made since the search began, in all its iterations; ``time`` milliseconds since then.
    :param pv: the line of play that is expected.
    :param confidence: percent; below 100 the search left out what very likely does not matter.
    """

    depth: int
    seldepth: int
    rank: int
    score: int
    bound: Bound
    nodes: int
    time: int
    pv: tuple[str, ...]
    confidence: int

    @property
    def move(self) -> str:
        """The first move of the line."""
        return self.pv[0]


class Analysis:
    """A search of a position that runs while it is iterated over; :func:`analyse` makes one.

    It is an iterator of :class:`Info` and a context manager. The search stops when the block is left, or when the
    analysis is no longer referenced, as after a ``break`` out of ``for info in analyse(…)``.
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
        self._news: queue.SimpleQueue[SearchInfo | SearchResult | Exception] = queue.SimpleQueue()
        self._best: str | None = None
        self._over = False
        self._told: list[Info] = []
        self._is_limited = limits != Limits()
        self._session.go(limits, self._news.put, self._news.put, self._news.put)
        weakref.finalize(self, self._session.close)  # stop the search when the analysis is no longer referenced

    def __iter__(self) -> Iterator[Info]:
        return self

    def __next__(self) -> Info:
        if self._over:
            raise StopIteration
        news = self._news.get()
        if isinstance(news, SearchInfo):
            self._told.append(self._info(news))
            return self._told[-1]
        if isinstance(news, SearchResult):
            self._over = True
            self._best = None if news.move is None else self._game.format_move(news.move)
            raise StopIteration
        self.stop()
        raise news

    def stop(self) -> None:
        """End the search and its thread; what it had found is still there."""
        self._session.stop()
        self._session.close()

    @property
    def best_move(self) -> str | None:
        """The move to play, once the search has ended, which this waits for; None when the game is over."""
        for _ in self:
            pass
        return self._best

    def _repr_html_(self) -> str:
        """Return a table of the iterations: all of them where the search has a limit, which this waits for."""
        while not self._over and (self._is_limited or not self._news.empty()):
            next(self, None)
        return self._table()

    def _table(self) -> str:
        rows = [
            (info.depth, short_score(info.score, info.bound), info.nodes, info.time, " ".join(info.pv))
            for info in self._told
        ]
        best = self._best or ("none, the game is over" if self._over else "not yet known")
        return table_html(("depth", "score", "nodes", "ms", "line"), rows, f"best move: {best}")

    def show(self) -> Analysis:
        """Show in a notebook the board with the values of the moves, and the table, which grow while the search runs.

        Wait for its end and return this analysis; ``analyse(position, movetime=5000, multipv=3).show();`` is a cell.

        :raises OptionError: outside a notebook, or if the search has no limit.
        """
        try:
            from IPython.display import HTML, display
        except ModuleNotFoundError:
            raise OptionError("show: must be called in a notebook, where IPython is installed") from None
        if not self._is_limited:
            raise OptionError("show: must have depth, nodes or movetime, since it waits for the end of the search")
        shown, place = 0.0, display(HTML(self._picture()), display_id=True)
        for _ in self:
            if time.monotonic() > shown + SHOWN_EVERY:
                place.update(HTML(self._picture()))
                shown = time.monotonic()
        place.update(HTML(self._picture()))
        return self

    def _picture(self) -> str:
        """Return the board with the values of the last iteration, and the table so far."""
        found = {info.rank: info for info in self._told}
        values = {found[rank].move: found[rank].score for rank in sorted(found)}
        board = self._root.svg(values) or f"<pre>{escape(str(self._root))}</pre>"
        return f"<div>{board}</div>{self._table()}"

    def __enter__(self) -> Analysis:
        return self

    def __exit__(self, *details: object) -> None:
        self.stop()

    def _info(self, info: SearchInfo) -> Info:
        pv = tuple(map(self._game.format_move, info.pv))
        score = info.score
        return Info(
            info.depth,
            info.seldepth,
            info.multipv,
            score.value,
            score.bound,
            info.nodes,
            info.time,
            pv,
            info.confidence,
        )


def analyse(
    position: Position,
    *,
    depth: int | None = None,
    nodes: int | None = None,
    movetime: int | None = None,
    **options: object,
) -> Analysis:
    """Search a position in this process; the search ends at the first limit, or when it is complete.

    :param depth: plies.
    :param nodes: moves made.
    :param movetime: milliseconds.
    :param options: the engine's options by name, in any case: ``hash=64``, ``ordering="mobility"``, ``multipv=3``.
        With ``algorithm="minimax"`` or ``"alphabeta"`` there is no transposition table, unless ``hash`` is given.
        Their nodes are those of all iterations: tic-tac-toe's whole tree has 549,945, and the first iteration 9 more.
    :return: an iterator of :class:`Info`, whose ``best_move`` is the answer.
    :raises LimitsError, OptionError, PositionError, GameError: if the search cannot be carried out so.
    """
    require_position(position)
    given = {"depth": depth, "nodes": nodes, "movetime": movetime}
    for name, value in given.items():
        if value is not None and not (isinstance(value, int) and LEAST_LIMITS[name] <= value <= LARGEST_LIMIT):
            allowed = f"a whole number from {LEAST_LIMITS[name]} to {LARGEST_LIMIT}"
            raise LimitsError(f"{name}: must be {allowed}, not {value!r}")
    known = {option.name.lower() for option in OPTIONS}
    for name in options:
        if name.lower() not in known and (limit := nearest(name, given)):
            raise OptionError(f"no option {name!r}; did you mean {limit!r}?")
    if "game" in {name.lower() for name in options}:
        raise PositionError("game: must be left out, since it is the position's")
    return Analysis(position, Limits(depth=depth, nodes=nodes, movetime=movetime), options)
