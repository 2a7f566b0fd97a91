"""Connect N: discs fall to the lowest empty cell of a column. ``connect 7x6x4`` is Connect Four.

A move is a column, written as its letter.
"""

from __future__ import annotations

from quietmove.engine.errors import NotationError
from quietmove.engine.games.base import Position
from quietmove.engine.games.rows.game import LETTERS, RowGame
from quietmove.engine.games.small_notation import require_legal

__all__ = ["Connect", "make_game"]


class Connect(RowGame):
    """Rows under gravity; four by four cells and three in a row unless the parameters say otherwise."""

    word = "connect"
    usual = (4, 4, 3)
    gravity = True

    def parse_move(self, position: Position, text: str) -> int:
        """Return the column that ``text`` names and that is not full."""
        column = LETTERS.find(text.lower()) if len(text) == 1 else -1
        if not 0 <= column < self.columns:
            raise NotationError(f"{text!r} is no move; a move is a column, a-{LETTERS[self.columns - 1]}")
        return require_legal(self, position, column, text)

    def format_move(self, move: int) -> str:
        """Return the name of a column."""
        return LETTERS[move]


def make_game(parameters: str) -> Connect:
    """Return the game on a board of the size that ``parameters`` give, ``COLUMNSxROWSxLENGTH``, or four by four.

    :raises UnknownGameError: if they are no such size.
    """
    return Connect(parameters)
