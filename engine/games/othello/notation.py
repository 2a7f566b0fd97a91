"""Squares and boards of Othello as text.

A square is its column letter from the left and its row number from the top, ``d3``.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from quietmove.engine.errors import NotationError, PositionError
from quietmove.engine.games.othello.board import PASS

__all__ = ["START", "format_board", "format_square", "parse_board", "parse_square"]

START = "---------------------------OX------XO---------------------------"
SQUARE = re.compile(r"[a-hA-H][1-8]")


def parse_square(text: str) -> int:
    """Return the move that ``text`` names.

    :raises NotationError: if it names none.
    """
    if text.lower() == "pass":
        return PASS
    if SQUARE.fullmatch(text):
        return "abcdefgh".index(text[0].lower()) + 8 * (int(text[1]) - 1)
    raise NotationError(f"{text!r} is no move; a move is a square a1-h8, or pass")


def format_square(move: int) -> str:
    """Return the name of ``move``."""
    return "pass" if move == PASS else f"{'abcdefgh'[move % 8]}{move // 8 + 1}"


def parse_board(fields: Sequence[str]) -> tuple[int, int, int]:
    """Return Black's squares, White's squares and the side to move from 64 squares and ``X`` or ``O``.

    :raises PositionError: naming the field, what is allowed and what came.
    """
    if len(fields) != 2:
        message = f"two fields, 64 squares and the side to move, are allowed; {len(fields)} came"
        raise PositionError(message, field=min(len(fields), 2))
    squares, side = fields
    if len(squares) != 64:
        message = f"squares: 64 of X, O and - are allowed, a1 b1 ... h8; {len(squares)} came: {squares!r}"
        raise PositionError(message, field=0)
    for index, letter in enumerate(squares):
        if letter not in "XO-":
            message = f"square {format_square(index)}: X, O or - is allowed; {letter!r} came"
            raise PositionError(message, field=0)
    if side not in ("X", "O"):
        raise PositionError(f"side to move: X or O is allowed; {side!r} came", field=1)
    black = sum(1 << index for index, letter in enumerate(squares) if letter == "X")
    white = sum(1 << index for index, letter in enumerate(squares) if letter == "O")
    return black, white, "XO".index(side)


def format_board(black: int, white: int, side: int) -> str:
    """Return the two fields that :func:`parse_board` reads."""
    squares = "".join("X" if black >> i & 1 else "O" if white >> i & 1 else "-" for i in range(64))
    return f"{squares} {'XO'[side]}"
