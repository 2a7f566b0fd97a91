"""Squares and boards of Othello as text.

A square is its column letter and its row number from the top, ``d3``. A board has ``size`` by ``size`` squares.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache

from quietmove.engine.errors import NotationError, PositionError
from quietmove.engine.games.othello.board import PASS
from quietmove.engine.games.othello.shape import bit_of, index_of
from quietmove.engine.move_text import PASSES

START = "---------------------------OX------XO---------------------------"
SQUARE_SPELLINGS = str.maketrans("xo*0.bBwW●⚫○⚪·", "XOXO-XXOOXXOO-")
SIDES = {"black": "X", "white": "O"} | dict(zip("x*b●⚫o0w○⚪", "XXXXXOOOOO", strict=True))
NUMBERS = re.compile(r"([1-8]) ([1-8])", re.ASCII)  # the Othello project's column and row, from the bottom
SQUARES = frozenset("XO-").union(map(chr, SQUARE_SPELLINGS))
DIGITS = re.compile(r"[012]{64} ?\S*")
MAX_SHOWN = 80  # maximum length of a move quoted in an error
# The parts of a drawn board around its squares: bars, column letters, row numbers, and text after the side.
FRAME = re.compile(
    r"[|]|\ba ?b ?c ?d( ?e ?f( ?g ?h)?)?\b|(?<!\S)[1-9](?!\S)|\(\w+\) to move.*| to move.*", re.IGNORECASE
)


def parse_square(text: str, size: int = 8) -> int:
    """Parse a move.

    :raises NotationError: if ``text`` is not a move.
    """
    if text.lower() in PASSES:
        return PASS
    letters, rows = "abcdefgh"[:size], "12345678"[:size]
    column = letters.find(text[:1].lower())
    row = rows.find(text[1:])
    if len(text) == 2 and column >= 0 and row >= 0:
        return bit_of(size * row + column, size)
    raise NotationError(f"{text[:MAX_SHOWN]!r} is not a move; a move is a square a1-{letters[-1]}{size}, or pass")


def letters_of(text: str) -> str:
    """Return a move that is written as the Othello project's numbers in letters; return any other text unchanged."""
    numbers = NUMBERS.fullmatch(text)
    return f"{' abcdefgh'[int(numbers[1])]}{9 - int(numbers[2])}" if numbers else text


def format_square(move: int, size: int = 8) -> str:
    """Return the name of a move."""
    return "pass" if move == PASS else square_name(index_of(move, size), size)


def square_name(index: int, size: int) -> str:
    """Return the name of a square, given its index row by row from the upper left corner."""
    return f"{'abcdefgh'[index % size]}{index // size + 1}"


def usual_fields(fields: Sequence[str], size: int = 8) -> Sequence[str]:
    """Convert a position as written by people and other programs to the fields of :func:`parse_board`.

    Black is ``X``, ``*``, ``B`` or ``●``, White ``O``, ``0``, ``W`` or ``○``, an empty square ``-``, ``.`` or ``·``;
    letters can be in lower case. If all squares are digits, ``0`` is empty, ``1`` Black and ``2`` White. The side to
    move can also be a word. The squares can be a drawing, with spaces and bars between them (between bars, an empty
    square can be blank), column letters and row numbers. They can also be rows separated by slashes, starting at the
    top, with digits for runs of empty squares: ``8/8/8/3ox3/3xo3/8/8/8 x``. Text after a semicolon, such as the values
    in a line of OBF, is ignored.

    :raises PositionError: if a row between slashes has the wrong number of squares.
    """
    fields = " ".join(fields).partition(";")[0].replace("\ufe0f", "").split()  # without the selector of emoji
    text = " ".join(fields)
    if DIGITS.fullmatch(text):
        text = text.translate(str.maketrans("012", "-XO"))
    if len(cells := text.split("|")) == size * (size + 1) + 1:  # a row's last bar and the next row's first are two
        text = "".join(cell.strip() or "-" for at, cell in enumerate(cells) if at % (size + 1)) + f" {cells[-1]}"
    *rows, side = FRAME.sub(" ", text).split() or [""]
    if not rows and len(side) == size * size + 1:  # the side to move follows without a space
        rows, side = [side[:-1]], side[-1]
    if not rows:
        return fields
    squares = "".join(rows)
    if "/" in squares:
        rows = [re.sub(r"[1-9]", lambda digit: "-" * int(digit[0]), row) for row in squares.split("/")]
        for number, row in enumerate(rows, 1):
            if len(row) != size:
                raise PositionError(f"row {number}: must have {size} squares, not {len(row)}: {squares!r}")
        squares = "".join(rows)
    elif len(fields) != 2 and side.lower() not in SIDES and SQUARES.issuperset(side):  # more squares, not a side
        squares, side = squares + side, ""
    if len(fields) > 2 and (len(fields[0]) == size * size or not SQUARES.issuperset(squares)):
        return fields
    return squares.translate(SQUARE_SPELLINGS), SIDES.get(side.lower(), side)


def parse_board(fields: Sequence[str], size: int = 8) -> tuple[int, int, int]:
    """Parse the squares and the side to move, and return Black's squares, White's squares and the side.

    :raises PositionError: if a field is invalid; the message gives the expected and the actual value.
    """
    if len(fields) != 2:
        message = f"position: must have 2 fields ({size * size} squares and the side to move), not {len(fields)}"
        raise PositionError(message, field=min(len(fields), 2))
    squares, side = fields
    if len(squares) != size * size:
        last = square_name(size * size - 1, size)
        allowed = f"{size * size} characters from X, O and -, in the order a1 b1 ... {last}"
        raise PositionError(f"squares: must be {allowed}, not {len(squares)}: {squares!r}")
    for index, letter in enumerate(squares):
        if letter not in "XO-":
            raise PositionError(f"square {square_name(index, size)}: must be X, O or -, not {letter!r}")
    if side not in ("X", "O"):
        raise PositionError(f"side to move: must be X or O, not {side!r}")
    black = sum(1 << bit_of(index, size) for index, letter in enumerate(squares) if letter == "X")
    white = sum(1 << bit_of(index, size) for index, letter in enumerate(squares) if letter == "O")
    return black, white, "XO".index(side)


def format_board(black: int, white: int, side: int, size: int = 8) -> str:
    """Return a board as the text of the two fields for :func:`parse_board`."""
    squares = "".join("X" if black >> bit & 1 else "O" if white >> bit & 1 else "-" for bit in bits_of(size))
    return f"{squares} {'XO'[side]}"


@cache
def bits_of(size: int) -> tuple[int, ...]:
    """Return the bit of each square, row by row from the upper left corner."""
    return tuple(bit_of(index, size) for index in range(size * size))
