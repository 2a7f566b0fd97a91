"""Positions and moves among the tokens of a line, whatever the game; an error names the token's index in the line."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from quietmove.engine.errors import IllegalMoveError, NotationError, PositionError
from quietmove.engine.games.base import NOTATIONS, Game, Position

__all__ = ["both_notations", "read_moves", "read_position", "spell_moves"]

SHOWN = 80  # characters of a token that an error repeats


def spell_moves(game: Game, tokens: Sequence[str], start: int) -> Iterator[tuple[int, str]]:
    """Yield each move from ``tokens[start]`` on as the index of its first token and its text."""
    index = start
    while index < len(tokens):
        width = game.move_width(tokens, index)
        yield index, " ".join(tokens[index : index + width])
        index += width


def read_position(game: Game, tokens: Sequence[str]) -> Position:
    """Return what ``position startpos|fen … [moves …]`` describes; ``tokens[0]`` is ``position``.

    :raises PositionError, NotationError, IllegalMoveError: naming the token and its index.
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
        raise PositionError(f"token 1 {kind!r}: 'startpos' or 'fen' is allowed")
    for index, text in spell_moves(game, tokens, moves_at + 1):
        position.play(_read_move(game, position, index, text))
    return position


def read_moves(game: Game, position: Position, tokens: Sequence[str], start: int) -> tuple[int, ...]:
    """Return the moves, each legal in ``position``, that ``tokens[start:]`` spell.

    :raises NotationError, IllegalMoveError: naming the token and its index.
    """
    return tuple(_read_move(game, position, index, text) for index, text in spell_moves(game, tokens, start))


def both_notations(game: Game, moves: Iterable[int]) -> str:
    """Return the moves for a person's eyes: ``d3 (4 6), c4 (3 5)``; one text where both notations agree."""
    texts = []
    for move in moves:
        project, algebraic = (game.format_move(move, notation) for notation in NOTATIONS)
        texts.append(algebraic if project == algebraic else f"{algebraic} ({project})")
    return ", ".join(texts)


def _read_fields(game: Game, fields: Sequence[str]) -> Position:
    try:
        return game.parse_position(fields)
    except PositionError as error:
        # A game that names no field quotes it, or means the first.
        quoted = (index for index, field in enumerate(fields) if repr(field) in str(error))
        index = next(quoted, 0) if error.field is None else error.field
        token = fields[index][:SHOWN] if index < len(fields) else "nothing"
        raise PositionError(f"token {index + 2} {token!r}: {error}") from None


def _read_move(game: Game, position: Position, index: int, text: str) -> int:
    try:
        return game.parse_move(position, text)
    except (IllegalMoveError, NotationError) as error:
        raise type(error)(f"token {index}: {error}") from None
