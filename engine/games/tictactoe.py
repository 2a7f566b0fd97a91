"""Tic-tac-toe on a board of any size: N in a row win.

A move is a cell, written as Othello's squares are: ``c1`` is the column letter and the row number from the top.
"""

from __future__ import annotations

import re

from quietmove.engine.errors import NotationError
from quietmove.engine.games.base import Position
from quietmove.engine.games.rows.game import LETTERS, RowGame
from quietmove.engine.games.small_notation import require_legal

__all__ = ["TicTacToe", "make_game"]

CELL = re.compile(r"([a-p])(\d{1,2})", re.IGNORECASE)


class TicTacToe(RowGame):
    """Tic-tac-toe; three by three cells and three in a row unless the parameters say otherwise."""

    word = "tictactoe"
    usual = (3, 3, 3)
    gravity = False

    def parse_move(self, position: Position, text: str) -> int:
        """Return the empty cell that ``text`` names."""
        match = CELL.fullmatch(text)
        column, row = (LETTERS.index(match[1].lower()), int(match[2]) - 1) if match else (-1, -1)
        if not (0 <= column < self.columns and 0 <= row < self.rows):
            corner = self.cell_name(self.columns * self.rows - 1)
            raise NotationError(f"{text!r} is no move; a move is a cell a1-{corner}")
        return require_legal(self, position, row * self.columns + column, text)

    def format_move(self, move: int) -> str:
        """Return the name of a cell."""
        return self.cell_name(move)


def make_game(parameters: str) -> TicTacToe:
    """Return the game on a board of the size that ``parameters`` give, ``COLUMNSxROWSxLENGTH``, or three by three.

    :raises UnknownGameError: if they are no such size.
    """
    return TicTacToe(parameters)
