"""Reads the moves and the position in a line or a text, in any game and any spelling."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from quietmove.engine.errors import IllegalMoveError, NotationError, PositionError
from quietmove.engine.games.base import Game, Position
from quietmove.engine.move_text import PASSES, is_result, split_moves
from quietmove.engine.protocol.coordinates import PROJECT, Coordinates, Numbers

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
    """Return whether a move of the game is a square."""
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
