"""Positions and moves among the tokens of a line, whatever the game; an error names the token's index in the line."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from quietmove.engine.errors import IllegalMoveError, NotationError, PositionError
from quietmove.engine.games.base import Game, Position
from quietmove.engine.move_text import PASSES, is_result, words_of_game
from quietmove.engine.protocol.coordinates import PROJECT, Coordinates, spell_moves

__all__ = ["both_notations", "parse_spelled", "play_moves", "play_on", "read_moves", "read_position", "written_moves"]

PASS = "pass"
MOST_SHOWN = 80  # an error repeats so many characters of a token


def play_moves(game: Game, position: Position, tokens: Sequence[str], start: int = 0) -> tuple[int, ...]:
    """Make the moves that ``tokens[start:]`` spell, one after another, and return them.

    :raises NotationError, IllegalMoveError: naming the token and its index; the moves before it have been made.
    """
    moves = []
    for index, text, canonical in spell_moves(game.grid, tokens, start):
        move = _read_move(game, position, index, text, canonical)
        position.play(move)
        moves.append(move)
    return tuple(moves)


def written_moves(game: Game, position: Position, text: str) -> Iterator[int]:
    """Yield the moves of a game as people write it, see :mod:`quietmove.engine.move_text`.

    Passes may be left out where there is no other move. Whoever takes a move makes it in ``position`` before the next
    is asked for.

    :raises NotationError, IllegalMoveError: naming the number of the move among those that were written.
    """
    words = words_of_game(text)
    number = 1
    for index, spelled, canonical in spell_moves(game.grid, words):
        is_last = index == len(words) - 1
        if not is_last and _is_number(game, canonical, number):
            continue
        if is_last and is_result(spelled) and not _is_legal(game, position, canonical):
            return
        if (forced := _forced_pass(game, position)) is not None:
            yield forced
            if canonical.lower() in PASSES:
                number += 1
                continue
        try:
            move = game.parse_move(position, canonical)
        except (IllegalMoveError, NotationError) as error:
            raise type(error)(f"move {number}: {error}") from None
        yield move
        number += 1


def parse_spelled(game: Game, position: Position, text: str) -> int:
    """Return the legal move of a canonical text, or the pass, which programs spell in several ways.

    :raises NotationError, IllegalMoveError: as :meth:`Game.parse_move`.
    """
    try:
        return game.parse_move(position, text)
    except NotationError:
        if text.lower() not in PASSES:
            raise
        return game.parse_move(position, PASS)


def play_on(game: Game, position: Position, tokens: Sequence[str], start: int = 0) -> tuple[int, ...]:
    """Make the moves that ``tokens[start:]`` spell, all of them or none, and return them.

    :raises NotationError, IllegalMoveError: naming the token and its index; the position is as it was.
    """
    ply = position.ply
    try:
        return play_moves(game, position, tokens, start)
    except Exception:
        while position.ply > ply:
            position.undo()
        raise


def read_moves(game: Game, position: Position, tokens: Sequence[str], start: int) -> tuple[int, ...]:
    """Return the moves, each legal in ``position``, that ``tokens[start:]`` spell.

    :raises NotationError, IllegalMoveError: naming the token and its index.
    """
    return tuple(_read_move(game, position, *spelled) for spelled in spell_moves(game.grid, tokens, start))


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
        raise PositionError(f"token 1: must be 'startpos' or 'fen', not {kind!r}")
    play_moves(game, position, tokens, moves_at + 1)
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


def _is_legal(game: Game, position: Position, text: str) -> bool:
    try:
        game.parse_move(position, text)
    except (IllegalMoveError, NotationError):
        return False
    return True


def _is_number(game: Game, word: str, number: int) -> bool:
    """Tell whether a word stands before move ``number`` and counts moves, or pairs of them, without a dot.

    Where a square is two numbers, one alone is no move.
    """
    alone = game.grid is not None and game.grid.rows is not None and word.isdecimal()
    return alone and word in (str(number), str((number + 1) // 2))


def _read_fields(game: Game, fields: Sequence[str]) -> Position:
    try:
        return game.parse_position(fields)
    except PositionError as error:
        # A game that names no field quotes it, or means the first.
        quoted = (index for index, field in enumerate(fields) if repr(field) in str(error))
        index = next(quoted, 0) if error.field is None else error.field
        token = fields[index][:MOST_SHOWN] if index < len(fields) else "nothing"
        raise PositionError(f"token {index + 2} {token!r}: {error}") from None


def _read_move(game: Game, position: Position, index: int, text: str, canonical: str) -> int:
    """Return the legal move ``canonical``, which the token ``index`` spells as ``text``."""
    try:
        return parse_spelled(game, position, canonical)
    except (IllegalMoveError, NotationError) as error:
        token = f"token {index}" if text == canonical else f"token {index} {text[:MOST_SHOWN]!r}"
        also = f", or {PROJECT.describe(game.grid)}" if game.grid and isinstance(error, NotationError) else ""
        raise type(error)(f"{token}: {error}{also}") from None
