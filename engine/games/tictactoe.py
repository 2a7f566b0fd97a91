"""Tic-tac-toe on a board of any size: so many in a row win.

A move is a cell, written as Othello's squares are: algebraic ``c1`` is the column letter and the row number from the
top, project ``3 3`` the column and the row from the **bottom**.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from quietmove.engine.errors import NotationError
from quietmove.engine.games.base import Position
from quietmove.engine.games.rows.game import LETTERS, RowGame
from quietmove.engine.games.text import require_legal

__all__ = ["TicTacToe", "make_game"]

ALGEBRAIC = re.compile(r"([a-p])(\d{1,2})", re.IGNORECASE)
PROJECT = re.compile(r"(\d{1,2}) (\d{1,2})")


class TicTacToe(RowGame):
    """Tic-tac-toe; three by three cells and three in a row unless the parameters say otherwise."""

    word = "tictactoe"
    usual = (3, 3, 3)
    gravity = False

    def move_width(self, tokens: Sequence[str], index: int) -> int:
        """Return 2 where two numbers name a cell, 1 for everything else."""
        return 2 if index + 1 < len(tokens) and tokens[index].isdecimal() and tokens[index + 1].isdecimal() else 1

    def parse_move(self, position: Position, text: str) -> int:
        """Return the empty cell that ``text`` names."""
        if match := ALGEBRAIC.fullmatch(text):
            column, row = LETTERS.index(match[1].lower()), int(match[2]) - 1
        elif match := PROJECT.fullmatch(text):
            column, row = int(match[1]) - 1, self.rows - int(match[2])
        else:
            column = row = -1
        if not (0 <= column < self.columns and 0 <= row < self.rows):
            corner = self.cell_name(self.columns * self.rows - 1)
            raise NotationError(
                f"{text!r} is no move; a move is a cell a1-{corner}, or 'x y' with 1-{self.columns} and 1-{self.rows}"
            )
        return require_legal(self, position, row * self.columns + column, text)

    def format_move(self, move: int, notation: str = "project") -> str:
        """Return the name of a cell."""
        if notation == "algebraic":
            return self.cell_name(move)
        return f"{move % self.columns + 1} {self.rows - move // self.columns}"


def make_game(parameters: str) -> TicTacToe:
    """Return the game on a board of the size that ``parameters`` give, ``COLUMNSxROWSxLENGTH``, or three by three.

    :raises UnknownGameError: if they are no such size.
    """
    return TicTacToe(parameters)
