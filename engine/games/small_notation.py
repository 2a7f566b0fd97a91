"""What the small games read alike: a side to move, a number of a position, and a move that must be legal."""

from __future__ import annotations

from quietmove.engine.errors import IllegalMoveError, PositionError
from quietmove.engine.games.base import Game, Position

__all__ = ["read_count", "read_side", "require_legal"]


def read_side(game: Game, text: str) -> int:
    """Return 0 or 1 for the letter of a side.

    :raises PositionError: if it is none of the game's.
    """
    if text not in game.sides:
        raise PositionError(f"side to move: {' or '.join(game.sides)} is allowed; {text!r} came")
    return game.sides.index(text)


def read_count(name: str, text: str, least: int, most: int) -> int:
    """Return the whole number that ``text`` writes.

    :param name: what is counted, for the error.
    :raises PositionError: if it is none from ``least`` to ``most``.
    """
    digits = text.removeprefix("-")
    if len(text) <= 9 and digits.isascii() and digits.isdecimal() and least <= int(text) <= most:
        return int(text)
    raise PositionError(f"{name}: a whole number from {least} to {most} is allowed; {text!r} came")


def require_legal(game: Game, position: Position, move: int, text: str) -> int:
    """Return ``move``, which ``text`` names.

    :raises IllegalMoveError: if it is not legal in ``position``.
    """
    legal = position.legal_moves()
    if move in legal:
        return move
    if not legal:
        raise IllegalMoveError(f"{text!r} is not legal here; the game is over")
    names = " ".join(game.format_move(each) for each in sorted(legal))
    raise IllegalMoveError(f"{text!r} is not legal here; legal: {names}")
