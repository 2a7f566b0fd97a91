"""A game without an end, and the truth about positions that plain minimax can search to the end."""

from __future__ import annotations

from quietmove.engine.games.base import Position
from quietmove.engine.search.minimax import Minimax
from quietmove.engine.search.node import SOLVED


class Endless:
    """A game that never ends and says nothing of its length: two moves, whatever happened before."""

    point = "point"

    def start(self) -> int:
        return 0

    def moves(self, state: int) -> list[int]:
        return [0, 1]

    def play(self, state: int, move: int) -> int:
        return state + 1

    def result(self, state: int) -> int:
        raise AssertionError("it does not end")


def exact_values(position: Position) -> dict[int, int]:
    """Return the value of each move at the end of the game, as minimax sees it from behind the move."""
    values = {}
    for move in position.legal_moves():
        position.play(move)
        values[move] = -Minimax(position).value(SOLVED)
        position.undo()
    return values
