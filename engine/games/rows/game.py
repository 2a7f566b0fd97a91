"""What the games of rows have in common as text: their size, their board, their cells."""

from __future__ import annotations

import re
from collections.abc import Sequence

from quietmove.engine.errors import PositionError, UnknownGameError
from quietmove.engine.games.base import Game, Grid, Position
from quietmove.engine.games.rows.position import EVALUATORS, RowPosition
from quietmove.engine.games.small_notation import read_side

__all__ = ["LETTERS", "RowGame", "row_position"]

LETTERS = "abcdefghijklmnop"
SIZE = re.compile(r"(\d{1,2})x(\d{1,2})x(\d{1,2})")
MOST = len(LETTERS)  # columns and rows
MOST_BITS = 64


class RowGame(Game):
    """A game of rows on a board of its own size.

    :param parameters: ``COLUMNSxROWSxLENGTH``, or nothing for :attr:`usual`.
    :raises UnknownGameError: if they are no such size, or the board is too large.

    :cvar word: the game's name without its size.
    :cvar usual: the size that need not be named.
    :cvar gravity: whether a disc falls to the lowest empty cell of its column.
    """

    word: str
    usual: tuple[int, int, int]
    gravity: bool
    point = "line"
    players = ("Black", "White")
    sides = ("X", "O")
    evaluators = EVALUATORS

    def __init__(self, parameters: str) -> None:
        size = SIZE.fullmatch(parameters or "x".join(map(str, self.usual)))
        if size is None:
            raise UnknownGameError(
                f"game {self.word}: a size like 7x6x4 (columns, rows, in a row) is allowed; {parameters!r} came"
            )
        self.columns, self.rows, self.length = map(int, size.groups())
        if not (1 <= self.columns <= MOST and 1 <= self.rows <= MOST and self.columns * (self.rows + 1) <= MOST_BITS):
            raise UnknownGameError(
                f"game {self.word}: 1 to {MOST} columns and rows, with columns x (rows + 1) up to {MOST_BITS}, "
                f"are allowed; {self.columns}x{self.rows} came"
            )
        if not 2 <= self.length <= max(self.columns, self.rows):
            raise UnknownGameError(
                f"game {self.word}: 2 to {max(self.columns, self.rows)} in a row are allowed; {self.length} came"
            )
        self.grid = Grid(self.columns, None if self.gravity else self.rows)
        usual = (self.columns, self.rows, self.length) == self.usual
        self.name = self.word if usual else f"{self.word} {self.columns}x{self.rows}x{self.length}"

    def initial(self) -> RowPosition:
        """Return the empty board, X to move."""
        return self.position(0, 0, 0)

    def position(self, first: int, second: int, side: int) -> RowPosition:
        """Return a position of this size."""
        return RowPosition(self.columns, self.rows, self.length, self.gravity, first, second, side)

    def parse_position(self, fields: Sequence[str]) -> RowPosition:
        """Return the position of the cells, row by row from the top (``X``, ``O``, ``-`` empty), and a side to move."""
        if len(fields) != 2:
            raise PositionError(
                f"position: two fields, the cells and the side to move, are allowed; {len(fields)} came"
            )
        cells, side = fields[0], read_side(self, fields[1])
        if len(cells) != self.columns * self.rows:
            raise PositionError(
                f"cells: {self.columns * self.rows} of X, O and - are allowed, row by row from the top; "
                f"{len(cells)} came: {cells!r}"
            )
        for index, letter in enumerate(cells):
            if letter not in "XO-":
                raise PositionError(f"cell {self.cell_name(index)}: X, O or - is allowed; {letter!r} came")
        self.require_counts(cells, side)
        if self.gravity:
            self.require_support(cells)
        position = self.position(self.bits(cells, "X"), self.bits(cells, "O"), side)
        self.require_winner(position)
        return position

    def require_counts(self, cells: str, side: int) -> None:
        """Check that the players have moved in turn; either may have begun.

        :raises PositionError: if not.
        """
        counts = cells.count("X"), cells.count("O")
        if counts[1 - side] - counts[side] not in (0, 1):
            mine, theirs = self.sides[side], self.sides[1 - side]
            raise PositionError(
                f"cells: with {mine} to move, as many {mine} as {theirs} or one fewer are allowed; "
                f"{counts[0]} X and {counts[1]} O came"
            )

    def require_support(self, cells: str) -> None:
        """Check that no disc has an empty cell below it.

        :raises PositionError: if one does.
        """
        for index in range(len(cells) - self.columns):
            if cells[index] != "-" and cells[index + self.columns] == "-":
                raise PositionError(
                    f"cell {self.cell_name(index)}: a disc with another one below it is allowed; {cells[index]!r} came "
                    "over an empty cell"
                )

    def require_winner(self, position: RowPosition) -> None:
        """Check that nobody has won, or only the player who moved last, by that move.

        :raises PositionError: if there is a row too many.
        """
        mine, theirs = (position.second, position.first) if position.side_to_move else (position.first, position.second)
        winners = [
            side for side, bits in zip(self.sides, (position.first, position.second), strict=True) if self.won(bits)
        ]
        if len(winners) == 2:
            raise PositionError("cells: one winner is allowed; X and O both have a row")
        if self.won(mine):
            raise PositionError(
                f"cells: a row of the player who moved last is allowed; {winners[0]} has one and is to move"
            )
        lasts = [1 << square for square in range(MOST_BITS) if theirs >> square & 1]
        if self.gravity:
            lasts = [last for last in lasts if not (mine | theirs) & last << 1]
        if winners and all(self.won(theirs ^ last) for last in lasts):
            raise PositionError(f"cells: rows that one last move completes are allowed; {winners[0]} has more")

    def won(self, bits: int) -> bool:
        """Tell whether there is a row in a set of cells."""
        return self.position(bits, 0, 1).result() != 0

    def format_position(self, position: Position) -> str:
        """Return the cells and the side to move."""
        return f"{self.squares(position)} {self.sides[position.side_to_move]}"

    def draw(self, position: Position) -> str:
        """Return the board with its letters and numbers, and who is to move."""
        cells, legal = self.squares(position), position.legal_moves()
        lines = [f"     {' '.join(LETTERS[: self.columns])}"]
        for row in range(self.rows):
            lines.append(
                f"  {row + 1:>2} {' '.join(cells[row * self.columns : (row + 1) * self.columns])} {self.rows - row:>2}"
            )
        lines.append("    " + "".join(f"{column + 1:>2}" for column in range(self.columns)))
        side = position.side_to_move
        lines.append(f"  {self.sides[side]} ({self.players[side]}) to move" if legal else "  game over")
        return "\n".join(lines)

    def explain(self, position: Position) -> list[tuple[str, int]]:
        """Return the one term of the evaluator that was chosen."""
        term = "lines by their discs" if row_position(position).by_lines else "open lines"
        return [(f"{term}, mine less theirs", position.static_value())]

    def canonical(self, position: Position) -> str:
        """Return the lesser text of the board and its mirror image; without gravity, of all its images."""
        text, side = self.format_position(position).split()
        rows = [text[row * self.columns : (row + 1) * self.columns] for row in range(self.rows)]
        images = [rows, [row[::-1] for row in rows]]
        if not self.gravity:
            images += [image[::-1] for image in images]
            if self.columns == self.rows:
                images += [["".join(column) for column in zip(*image, strict=True)] for image in images]
        return f"{min(''.join(image) for image in images)} {side}"

    def squares(self, position: Position) -> str:
        """Return the cells."""
        board, text = row_position(position), ""
        for index in range(self.columns * self.rows):
            square = self.square(index)
            text += "X" if board.first >> square & 1 else "O" if board.second >> square & 1 else "-"
        return text

    def bits(self, cells: str, letter: str) -> int:
        """Return the cells with ``letter`` as the set that :class:`RowPosition` takes."""
        return sum(1 << self.square(index) for index, each in enumerate(cells) if each == letter)

    def square(self, index: int) -> int:
        """Return the bit of a cell, counted row by row from the top."""
        row, column = divmod(index, self.columns)
        return column * (self.rows + 1) + self.rows - 1 - row

    def cell_name(self, index: int) -> str:
        """Return the name of a cell: column letter, row number from the top."""
        return f"{LETTERS[index % self.columns]}{index // self.columns + 1}"


def row_position(position: Position) -> RowPosition:
    """Return ``position`` with the type that it has here; any other type is a bug of the caller."""
    assert isinstance(position, RowPosition)
    return position
