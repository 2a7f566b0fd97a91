"""A game without an end, random moves, and the truth about positions that plain minimax can search to the end."""

from __future__ import annotations

import random

from quietmove.engine.games.base import DECISIVE, Position
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


def play_at_random(position: Position, choices: random.Random, plies: int = 1000, left: int = 0) -> list[int]:
    """Make random moves, ``plies`` at most, as long as more than ``left`` may be to come; return them."""
    made: list[int] = []
    while len(made) < plies and position.moves_left() > left and (legal := sorted(position.legal_moves())):
        made.append(choices.choice(legal))
        position.play(made[-1])
    return made


def exact_values(position: Position) -> dict[int, int]:
    """Return the value of each move at the end of the game, a win or a loss with the plies to it."""
    values = {}
    for move in position.legal_moves():
        position.play(move)
        value = -Minimax(position).value(SOLVED)
        values[move] = value - (value > DECISIVE) + (value < -DECISIVE)
        position.undo()
    return values
