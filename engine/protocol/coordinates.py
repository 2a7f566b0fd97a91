"""How moves are spelled on the wire: the only place where these spellings of squares are converted.

Inside, in records and in stores a move has one canonical text, which its game reads and writes: a square of a
board is ``d3``, column letter from the left, row number from the top. On the wire the same square may be two numbers.
What a game's moves are, squares, columns or neither, says :attr:`quietmove.engine.games.base.Game.grid`; a move that
is neither (``pass``, a card) has its canonical text everywhere.

=============  ======================================================  ==========  ===========
coordinates    a square is                                             upper left  lower right
=============  ======================================================  ==========  ===========
``PROJECT``    column from 1, row from 1 counted from the **bottom**   ``1 8``     ``8 1``
``ZERO``       column from 0, row from 0 counted from the top          ``0 0``     ``7 7``
``ALGEBRAIC``  the canonical text                                      ``a1``      ``h8``
=============  ======================================================  ==========  ===========
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from quietmove.engine.games.base import Grid

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
