"""Games won by N in a row on a board of any size: tic-tac-toe, Connect Four and variants.

In tic-tac-toe a move is a cell such as ``c1``: column letter, then row number from the top, as in Othello. In
``connect`` a disc falls to the lowest empty cell of its column, and a move is the column's letter.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import partial

from quietmove.engine.errors import NotationError, PositionError, UnknownGameError
from quietmove.engine.games.base import Book, Game, Grid
from quietmove.engine.games.in_a_row.position import EVALUATORS, InARowPosition
from quietmove.engine.games.in_a_row.traps import TrapBook
from quietmove.engine.games.parsing import read_side, require_fields
from quietmove.engine.games.rules import Rules

LETTERS = "abcdefghijklmnop"
SIZE = re.compile(r"(\d{1,2})x(\d{1,2})x(\d{1,2})")
CELL = re.compile(r"([a-p])(\d{1,2})?", re.IGNORECASE)
MAX_SIDE = len(LETTERS)  # maximum number of columns and of rows
MAX_BITS = 64
IN_A_ROW = "{}: columns, rows, and number in a row"
RULES = {
    "tictactoe": Rules(
        "Tic-tac-toe",
        "X begins. A move marks an empty cell. The first player with three in a row wins: across, up or along a "
        "diagonal. A full board without a row is a draw.",
        IN_A_ROW.format("3x3x3"),
        ("noughtsandcrosses", "xo", "ttt"),
        moves="b2 b1 c1 a1 a3",
    ),
    "connect": Rules(
        "Connect (three in a row)",
        "Connect Four on a board of 4x4 cells with three in a row. Black begins. A move drops a disc into a column, "
        "where it falls to the lowest empty cell. The first player with three discs in a row wins: across, up or along "
        "a diagonal. A full board without a row is a draw. The usual game is connect4.",
        IN_A_ROW.format("4x4x3"),
        moves="b a c c d",
    ),
    "connect4": Rules(
        "Connect Four",
        "Black begins. A move drops a disc into one of seven columns, where it falls to the lowest of six empty cells. "
        "The first player with four discs in a row wins: across, up or along a diagonal. A full board without a row is "
        "a draw.",
        IN_A_ROW.format("7x6x4"),
        ("connectfour", "fourinarow", "4inarow"),
        moves="d d e c f b g",
    ),
}


class InARow(Game):
    """An N-in-a-row game on a board of a given size.

    :param word: the game's name without its size.
    :param parameters: ``COLUMNSxROWSxLENGTH``, or "" for the default size.
    :param usual: the default size.
    :param gravity: whether discs fall to the lowest empty cell of their column.
    :raises UnknownGameError: if the size is malformed or too large.
    """

    point = "line"
    evaluators = EVALUATORS

    def __init__(self, word: str, parameters: str, usual: str, gravity: bool) -> None:
        size = SIZE.fullmatch(parameters or usual)
        if size is None:
            raise UnknownGameError(
                f"game {word}: must be a size like 7x6x4 (columns, rows, in a row), not {parameters!r}"
                f"{'; Connect Four is connect4' * gravity}"
            )
        self.columns, self.rows, self.length = map(int, size.groups())
        if not (
            1 <= self.columns <= MAX_SIDE and 1 <= self.rows <= MAX_SIDE and self.columns * (self.rows + 1) <= MAX_BITS
        ):
            raise UnknownGameError(
                f"game {word}: must have 1 to {MAX_SIDE} columns and rows, with columns x (rows + 1) up to {MAX_BITS}, "
                f"not {self.columns}x{self.rows}"
            )
        if not 2 <= self.length <= max(self.columns, self.rows):
            raise UnknownGameError(
                f"game {word}: must be 2 to {max(self.columns, self.rows)} in a row, not {self.length}"
            )
        self.gravity = gravity
        self.rules = RULES[word]
        self.players = ("Black", "White") if gravity else self.sides
        self.grid = Grid(self.columns, None if gravity else self.rows)
        self.move_count = self.columns if gravity else self.columns * self.rows
        name = f"{self.columns}x{self.rows}x{self.length}"
        self.name = word if name == usual else f"{word} {name}"

    def turn(self, position: InARowPosition) -> str:
        text = super().turn(position)
        return text if self.gravity else text.replace(" (X)", "").replace(" (O)", "")

    def initial(self) -> InARowPosition:
        return self.position(0, 0, 0)

    def position(self, first: int, second: int, side: int) -> InARowPosition:
        return InARowPosition(self.columns, self.rows, self.length, self.gravity, first, second, side)

    def parse_position(self, fields: Sequence[str]) -> InARowPosition:
        require_fields(fields, 2, "the cells and the side to move")
        cells = fields[0]
        side = read_side(self.sides, fields[1])
        count = self.columns * self.rows
        if len(cells) != count or set(cells) - set("XO-"):
            allowed = f"{count} characters from X, O and -, row by row from the top"
            raise PositionError(f"cells: must be {allowed}, not {cells!r}")
        counts = cells.count("X"), cells.count("O")
        if counts[1 - side] - counts[side] not in (0, 1):  # either side may have started
            mine, theirs = self.sides[side], self.sides[1 - side]
            line = ("", " with a line of X", " with a line of O")[self.winner(cells)]
            raise PositionError(
                f"cells: with {mine} to move, there must be as many {mine} as {theirs} or one fewer, "
                f"not {counts[0]} X and {counts[1]} O{line}"
            )
        if self.gravity:
            self.require_support(cells)
        return self.position(self.bits(cells, "X"), self.bits(cells, "O"), side)

    def require_support(self, cells: str) -> None:
        """Check that no disc is above an empty cell.

        :raises PositionError: if a disc is; the message names its cell.
        """
        for index in range(len(cells) - self.columns):
            if cells[index] != "-" and cells[index + self.columns] == "-":
                raise PositionError(
                    f"cell {self.cell_name(index)}: must be empty, like the cell below, not {cells[index]!r}"
                )

    def format_position(self, position: InARowPosition) -> str:
        return f"{self.squares(position)} {self.sides[position.side_to_move]}"

    def parse_move(self, position: InARowPosition, text: str) -> int:
        match = CELL.fullmatch(text)
        column = LETTERS.index(match[1].lower()) if match else MAX_SIDE
        row = int(match[2]) - 1 if match and match[2] else -1
        if column < self.columns and self.gravity and row < 0 and len(text) == 1:
            return self.require_legal(position, column, text)
        if column < self.columns and not self.gravity and 0 <= row < self.rows:
            return self.require_legal(position, row * self.columns + column, text)
        last = LETTERS[self.columns - 1] if self.gravity else self.cell_name(self.columns * self.rows - 1)
        what = f"column, a-{last}" if self.gravity else f"cell a1-{last}"
        raise NotationError(f"{text!r} is not a move; a move is a {what}")

    def format_move(self, move: int) -> str:
        return LETTERS[move] if self.gravity else self.cell_name(move)

    def draw(self, position: InARowPosition) -> str:
        cells = self.squares(position)
        lines = [f"     {' '.join(LETTERS[: self.columns])}"]
        for row in range(self.rows):
            lines.append(
                f"  {row + 1:>2} {' '.join(cells[row * self.columns : (row + 1) * self.columns])} {self.rows - row:>2}"
            )
        lines.append("    " + "".join(f"{column + 1:>2}" for column in range(self.columns)))
        return "\n".join([*lines, f"  {self.turn(position)}"])

    def explain(self, position: InARowPosition) -> list[tuple[str, int]]:
        term = "lines by their discs" if position.by_lines else "open lines"
        return [(f"{term}, mine minus theirs", position.static_value())]

    def canonical(self, position: InARowPosition) -> str:
        text, side = self.format_position(position).split()
        rows = [text[row * self.columns : (row + 1) * self.columns] for row in range(self.rows)]
        images = [rows, [row[::-1] for row in rows]]
        if not self.gravity:
            images += [image[::-1] for image in images]
            if self.columns == self.rows:
                images += [["".join(column) for column in zip(*image, strict=True)] for image in images]
        return f"{min(''.join(image) for image in images)} {side}"

    def open_book(self, file: str = "") -> Book | None:
        return super().open_book(file) if file or self.name != "tictactoe" else TrapBook()

    def winner(self, cells: str) -> int:
        """Return 1 if only X has a line in these cells, reachable or not, -1 if only O has one, else 0."""
        return self.has_line(cells, "X") - self.has_line(cells, "O")

    def has_line(self, cells: str, letter: str) -> bool:
        """Return whether the player ``letter`` has a line in these cells."""
        return self.position(self.bits(cells, letter), 0, 1).result() > 0

    def squares(self, position: InARowPosition) -> str:
        text = ""
        for index in range(self.columns * self.rows):
            square = self.square(index)
            text += "X" if position.first >> square & 1 else "O" if position.second >> square & 1 else "-"
        return text

    def bits(self, cells: str, letter: str) -> int:
        """Return the cells with ``letter`` as a bitset for :class:`InARowPosition`."""
        return sum(1 << self.square(index) for index, each in enumerate(cells) if each == letter)

    def square(self, index: int) -> int:
        """Return the bit index of a cell, given its index row by row from the top."""
        row, column = divmod(index, self.columns)
        return column * (self.rows + 1) + self.rows - 1 - row

    def cell_name(self, index: int) -> str:
        """Return the name of a cell: column letter, then row number from the top."""
        return f"{LETTERS[index % self.columns]}{index // self.columns + 1}"


# Functions that make a game from the parameters after its name; without parameters, it has the usual size.
make_tictactoe = partial(InARow, "tictactoe", usual="3x3x3", gravity=False)
make_connect_four = partial(InARow, "connect4", usual="7x6x4", gravity=True)
make_connect = partial(InARow, "connect", usual="4x4x3", gravity=True)
