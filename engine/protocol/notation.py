"""Parsing and formatting of moves and positions, for all games and notations."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from quietmove.engine.errors import IllegalMoveError, NotationError, PositionError
from quietmove.engine.games.base import Game, Grid, Position
from quietmove.engine.move_text import PASSES, is_result, split_moves

EMPTY_MOVE = "0000"
LETTERS = "abcdefghijklmnopqrstuvwxyz"
SQUARE = re.compile(r"([a-z])(\d{1,2})", re.IGNORECASE)
NUMBERS = frozenset(map(str, range(100)))  # valid column and row numbers


@dataclass(frozen=True, slots=True)
class Coordinates:
    """A notation for squares and columns. The base class implements canonical notation."""

    name: str

    def write(self, grid: Grid | None, move: str) -> str:
        """Convert a canonical move to this notation."""
        return move

    def read(self, grid: Grid | None, text: str) -> str | None:
        """Convert a numeric square or column to canonical notation, or return None if ``text`` is neither."""
        return None


@dataclass(frozen=True, slots=True)
class WithEmptyMove(Coordinates):
    """Canonical notation with ``0000`` for a pass, as other UGI programs write it."""

    def write(self, grid: Grid | None, move: str) -> str:
        return EMPTY_MOVE if move == "pass" else move


@dataclass(frozen=True, slots=True)
class Numbers(Coordinates):
    """A notation in which a square is two numbers, column and row, and a column is one number.

    :param first: the number of the first column and row.
    :param from_bottom: whether rows are counted from the bottom of the board.
    :param row_first: whether a square's row comes before its column.
    """

    first: int
    from_bottom: bool
    row_first: bool = False

    def write(self, grid: Grid | None, move: str) -> str:
        if grid is None:
            return move
        if grid.rows is None:
            return str(LETTERS.index(move) + self.first) if len(move) == 1 else move
        if not (square := SQUARE.fullmatch(move)):
            return move
        numbers = LETTERS.index(square[1]) + self.first, self._turned(grid.rows, int(square[2]) - 1) + self.first
        return " ".join(map(str, reversed(numbers) if self.row_first else numbers))

    def read(self, grid: Grid | None, text: str) -> str | None:
        words = text.split()
        if grid is None or len(words) != (1 if grid.rows is None else 2):
            return None
        if self.row_first:
            words.reverse()
        column = self._index(words[0], grid.columns)
        if column is None or grid.rows is None:
            return None if column is None else LETTERS[column]
        row = self._index(words[1], grid.rows)
        return None if row is None else f"{LETTERS[column]}{self._turned(grid.rows, row) + 1}"

    def describe(self, grid: Grid) -> str:
        """Describe the accepted numbers, for an error message."""
        columns = f"{self.first}-{grid.columns - 1 + self.first}"
        if grid.rows is None:
            return f"a column {columns}"
        rows = f"{self.first}-{grid.rows - 1 + self.first}"
        if self.row_first:
            columns, rows = rows, columns
        sizes = f"{columns} each" if rows == columns else f"{columns} and {rows}"
        order = "row column" if self.row_first else "column row"
        return f"'{order}' with {sizes}, row from the {'bottom' if self.from_bottom else 'top'}"

    def _index(self, word: str, size: int) -> int | None:
        """Return the zero-based index, or None if ``word`` is not a number in range."""
        if word not in NUMBERS or not 0 <= int(word) - self.first < size:
            return None
        return int(word) - self.first

    def _turned(self, rows: int, row: int) -> int:
        """Mirror a row index if rows are counted from the bottom."""
        return rows - 1 - row if self.from_bottom else row


ALGEBRAIC = Coordinates("algebraic")
UGI = WithEmptyMove("ugi")
PROJECT = Numbers("project", 1, from_bottom=True)
ZERO = Numbers("zero", 0, from_bottom=False)
NOTATIONS = {each.name: each for each in (PROJECT, ALGEBRAIC)}  # values of option Notation
ROWS = Numbers("rows", 0, from_bottom=False, row_first=True)
PROGRAMS = {"slide": PROJECT, "zero": ZERO}  # the Othello project's coordinates, by the names used there


def without_comment(line: str) -> str:
    """Strip a ``#`` comment and normalise whitespace in a line of the Othello project's protocol."""
    return " ".join(line.partition("#")[0].split())


PASS = "pass"
MAX_SHOWN = 80  # maximum length of a token quoted in an error


def written_moves(game: Game, position: Position, words: Iterable[str]) -> Iterator[int]:
    """Yield the moves spelled by the words, including forced passes that were left out.

    The caller must play each move in ``position`` before requesting the next one. The last word may be the game's
    result. A pass after the end of the game is ignored.

    :raises NotationError, IllegalMoveError: with the invalid move and its number.
    """
    texts = split_moves(words, has_squares(game))
    for number, text in enumerate(texts, 1):
        move = _legal_move(game, position, text)
        if move is None:
            if number == len(texts) and is_result(text):
                return
            if text.lower() in PASSES and position.is_over():
                continue
            if (forced := forced_pass(game, position)) is not None:
                yield forced
            move = _numbered_move(game, position, number, text)
        yield move


def play_moves(game: Game, position: Position, words: Iterable[str]) -> tuple[int, ...]:
    """Play the moves of :func:`written_moves` and return them. If there is an error, no move is played.

    :raises NotationError, IllegalMoveError: with the invalid move and its number; the position is unchanged.
    """
    ply = position.ply
    moves = []
    try:
        for move in written_moves(game, position, words):
            position.play(move)
            moves.append(move)
    except Exception:
        while position.ply > ply:
            position.undo()
        raise
    return tuple(moves)


def read_moves(game: Game, position: Position, words: Iterable[str]) -> tuple[int, ...]:
    """Parse alternative moves, each of which must be legal in ``position``.

    :raises NotationError, IllegalMoveError: with the invalid move and its number.
    """
    texts = split_moves(words, has_squares(game))
    return tuple(_numbered_move(game, position, number, text) for number, text in enumerate(texts, 1))


def read_move(game: Game, position: Position, text: str, coordinates: Numbers = PROJECT) -> int:
    """Parse ``text`` as a legal move.

    :param coordinates: the notation for squares written as two numbers.
    :raises NotationError, IllegalMoveError: if it is not exactly one legal move.
    """
    moves = split_moves([text], has_squares(game))
    if len(moves) != 1:
        raise NotationError(f"{text[:MAX_SHOWN]!r} is not a square of this board: expected one move, got {len(moves)}")
    try:
        return game.parse_move(position, coordinates.read(game.grid, moves[0]) or moves[0])
    except NotationError as error:
        raise NotationError(f"{error}, or {coordinates.describe(game.grid)}" if game.grid else str(error)) from None


def has_squares(game: Game) -> bool:
    return game.grid is not None and game.grid.rows is not None


def read_position(game: Game, tokens: Sequence[str]) -> Position:
    """Parse ``position startpos|fen … [moves …]``; ``tokens[0]`` is ``position``.

    :raises PositionError: with the invalid token and its index.
    :raises NotationError, IllegalMoveError: with the invalid move and its number.
    """
    moves_at = tokens.index("moves") if "moves" in tokens else len(tokens)
    kind = tokens[1] if len(tokens) > 1 else "nothing"
    if kind == "startpos":
        if moves_at > 2:
            raise PositionError(f"token 2 {tokens[2]!r}: only 'moves' may follow 'startpos'")
        position = game.initial()
    elif kind == "fen":
        position = _read_fields(game, tokens[2:moves_at])
    else:
        raise PositionError(f"token 1: must be 'startpos' or 'fen', not {kind!r}")
    play_moves(game, position, tokens[moves_at + 1 :])
    return position


def both_notations(
    game: Game, moves: Iterable[int], second: Coordinates = PROJECT, first: Coordinates = ALGEBRAIC
) -> str:
    """Format moves for people as ``d3 (4 6), c4 (3 5)``, without the parentheses if both notations agree."""
    texts = []
    for name in map(game.format_move, moves):
        text, other = first.write(game.grid, name), second.write(game.grid, name)
        texts.append(text if other == text else f"{text} ({other})")
    return ", ".join(texts)


def forced_pass(game: Game, position: Position) -> int | None:
    """Return the pass if it is the only legal move, else None."""
    legal = position.legal_moves()
    return legal[0] if len(legal) == 1 and game.format_move(legal[0]) == PASS else None


def _legal_move(game: Game, position: Position, text: str) -> int | None:
    try:
        return game.parse_move(position, PROJECT.read(game.grid, text) or text)
    except (IllegalMoveError, NotationError):
        return None


def _read_fields(game: Game, fields: Sequence[str]) -> Position:
    try:
        return game.parse_position(fields)
    except PositionError as error:
        # An error without a field index refers to the field quoted in its message, or else to the first.
        quoted = (index for index, field in enumerate(fields) if repr(field) in str(error))
        index = next(quoted, 0) if error.field is None else error.field
        token = fields[index][:MAX_SHOWN] if index < len(fields) else "nothing"
        raise PositionError(f"token {index + 2} {token!r}: {error}") from None


def _numbered_move(game: Game, position: Position, number: int, text: str) -> int:
    """Parse a legal move; errors include its number."""
    try:
        return read_move(game, position, text)
    except (IllegalMoveError, NotationError) as error:
        shown = "" if repr(text[:MAX_SHOWN]) in str(error) else f" {text[:MAX_SHOWN]!r}"
        raise type(error)(f"move {number}{shown}: {error}") from None
