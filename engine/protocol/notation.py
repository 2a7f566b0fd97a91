"""Moves and positions, from text and to text, in any game and any spelling."""

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
NUMBERS = frozenset(map(str, range(100)))  # numbers that a column or a row may have


@dataclass(frozen=True, slots=True)
class Coordinates:
    """The canonical text itself."""

    name: str

    def write(self, grid: Grid | None, move: str) -> str:
        """Return a canonical move as it is spelled on the wire."""
        return move

    def read(self, grid: Grid | None, text: str) -> str | None:
        """Return the canonical text of the square or column that ``text`` names by numbers; None if it names none."""
        return None


@dataclass(frozen=True, slots=True)
class WithEmptyMove(Coordinates):
    """The canonical text, but for a pass, which is the empty move ``0000``, as other programs of UGI have it."""

    def write(self, grid: Grid | None, move: str) -> str:
        return EMPTY_MOVE if move == "pass" else move


@dataclass(frozen=True, slots=True)
class Numbers(Coordinates):
    """A square as two numbers, column and row; a column as one.

    :param first: the number of the first column and of the first row.
    :param from_bottom: whether rows are counted from the bottom of the board.
    """

    first: int
    from_bottom: bool

    def write(self, grid: Grid | None, move: str) -> str:
        if grid is None:
            return move
        if grid.rows is None:
            return str(LETTERS.index(move) + self.first) if len(move) == 1 else move
        if not (square := SQUARE.fullmatch(move)):
            return move
        return f"{LETTERS.index(square[1]) + self.first} {self._turned(grid.rows, int(square[2]) - 1) + self.first}"

    def read(self, grid: Grid | None, text: str) -> str | None:
        words = text.split()
        if grid is None or len(words) != (1 if grid.rows is None else 2):
            return None
        column = self._index(words[0], grid.columns)
        if column is None or grid.rows is None:
            return None if column is None else LETTERS[column]
        row = self._index(words[1], grid.rows)
        return None if row is None else f"{LETTERS[column]}{self._turned(grid.rows, row) + 1}"

    def describe(self, grid: Grid) -> str:
        """Return what is read, for an error message."""
        columns = f"{self.first}-{grid.columns - 1 + self.first}"
        if grid.rows is None:
            return f"a column {columns}"
        rows = f"{self.first}-{grid.rows - 1 + self.first}"
        sizes = f"{columns} each" if rows == columns else f"{columns} and {rows}"
        return f"'column row' with {sizes}, row from the {'bottom' if self.from_bottom else 'top'}"

    def _index(self, word: str, size: int) -> int | None:
        """Return the index from 0 that ``word`` writes, None if it writes none below ``size``."""
        if word not in NUMBERS or not 0 <= int(word) - self.first < size:
            return None
        return int(word) - self.first

    def _turned(self, rows: int, row: int) -> int:
        """Return a row's index from the other end where rows are counted from the bottom."""
        return rows - 1 - row if self.from_bottom else row


ALGEBRAIC = Coordinates("algebraic")
UGI = WithEmptyMove("ugi")
PROJECT = Numbers("project", 1, from_bottom=True)
ZERO = Numbers("zero", 0, from_bottom=False)
NOTATIONS = {each.name: each for each in (PROJECT, ALGEBRAIC)}  # values of the option Notation
PROGRAMS = {"slide": PROJECT, "zero": ZERO}  # the coordinates of the Othello project, by their names there


def without_comment(line: str) -> str:
    """Return what a line of the Othello project's protocol says: its words, up to a ``#``; empty if it says nothing."""
    return " ".join(line.partition("#")[0].split())


PASS = "pass"
MOST_SHOWN = 80  # an error repeats so many characters of a token


def written_moves(game: Game, position: Position, words: Iterable[str]) -> Iterator[int]:
    """Yield the moves that the words spell, and the forced passes that were left out.

    The caller makes each move in ``position`` before it asks for the next. The last word can be the game's result. A
    pass after the end of the game is dropped.

    :raises NotationError, IllegalMoveError: with the wrong move and its number among those written.
    """
    texts = split_moves(words, has_squares(game))
    for number, text in enumerate(texts, 1):
        move = _legal_move(game, position, text)
        if move is None:
            if number == len(texts) and is_result(text):
                return
            if text.lower() in PASSES and position.is_over():
                continue
            if (forced := _forced_pass(game, position)) is not None:
                yield forced
            move = _numbered_move(game, position, number, text)
        yield move


def play_moves(game: Game, position: Position, words: Iterable[str]) -> tuple[int, ...]:
    """Make the moves of :func:`written_moves`, all of them or none, and return them.

    :raises NotationError, IllegalMoveError: with the wrong move and its number; the position is unchanged.
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
    """Return the alternatives that the words spell, each a legal move of ``position``.

    :raises NotationError, IllegalMoveError: with the wrong move and its number.
    """
    texts = split_moves(words, has_squares(game))
    return tuple(_numbered_move(game, position, number, text) for number, text in enumerate(texts, 1))


def read_move(game: Game, position: Position, text: str, coordinates: Numbers = PROJECT) -> int:
    """Return the legal move that ``text`` spells.

    :param coordinates: how two numbers name a square.
    :raises NotationError, IllegalMoveError: if it spells no move or several, or the move is not legal.
    """
    moves = split_moves([text], has_squares(game))
    if len(moves) != 1:
        raise NotationError(f"a move: must be one, not {len(moves)}")
    try:
        return game.parse_move(position, coordinates.read(game.grid, moves[0]) or moves[0])
    except NotationError as error:
        raise NotationError(f"{error}, or {coordinates.describe(game.grid)}" if game.grid else str(error)) from None


def has_squares(game: Game) -> bool:
    return game.grid is not None and game.grid.rows is not None


def read_position(game: Game, tokens: Sequence[str]) -> Position:
    """Return what ``position startpos|fen … [moves …]`` describes; ``tokens[0]`` is ``position``.

    :raises PositionError: with the wrong token and its index.
    :raises NotationError, IllegalMoveError: with the wrong move and its number.
    """
    moves_at = tokens.index("moves") if "moves" in tokens else len(tokens)
    kind = tokens[1] if len(tokens) > 1 else "nothing"
    if kind == "startpos":
        if moves_at > 2:
            raise PositionError(f"token 2 {tokens[2]!r}: after 'startpos' only 'moves' may follow")
        position = game.initial()
    elif kind == "fen":
        position = _read_fields(game, tokens[2:moves_at])
    else:
        raise PositionError(f"token 1: must be 'startpos' or 'fen', not {kind!r}")
    play_moves(game, position, tokens[moves_at + 1 :])
    return position


def both_notations(game: Game, moves: Iterable[int], coordinates: Coordinates = PROJECT) -> str:
    """Return the moves for a person's eyes: ``d3 (4 6), c4 (3 5)``; one text where both notations agree."""
    texts = []
    for move in moves:
        text = game.format_move(move)
        numbers = coordinates.write(game.grid, text)
        texts.append(text if numbers == text else f"{text} ({numbers})")
    return ", ".join(texts)


def _forced_pass(game: Game, position: Position) -> int | None:
    """Return the pass that is the only legal move; None where there is another, or the game is over."""
    legal = position.legal_moves()
    return legal[0] if len(legal) == 1 and game.format_move(legal[0]) == PASS else None


def _legal_move(game: Game, position: Position, text: str) -> int | None:
    """Return the legal move that ``text`` spells, or None if it spells none."""
    try:
        return game.parse_move(position, PROJECT.read(game.grid, text) or text)
    except (IllegalMoveError, NotationError):
        return None


def _read_fields(game: Game, fields: Sequence[str]) -> Position:
    try:
        return game.parse_position(fields)
    except PositionError as error:
        # A game that names no field quotes it, or means the first.
        quoted = (index for index, field in enumerate(fields) if repr(field) in str(error))
        index = next(quoted, 0) if error.field is None else error.field
        token = fields[index][:MOST_SHOWN] if index < len(fields) else "nothing"
        raise PositionError(f"token {index + 2} {token!r}: {error}") from None


def _numbered_move(game: Game, position: Position, number: int, text: str) -> int:
    """Return the legal move that ``text`` spells; an error has its number."""
    try:
        return read_move(game, position, text)
    except (IllegalMoveError, NotationError) as error:
        shown = "" if repr(text) in str(error) else f" {text[:MOST_SHOWN]!r}"
        raise type(error)(f"move {number}{shown}: {error}") from None
