"""The value of a position as the search sees it: what self-play follows and what positions are labelled with."""

from __future__ import annotations

from dataclasses import dataclass

from quietmove.engine.games.othello.board import OthelloPosition
from quietmove.engine.search.node import INFINITE, SOLVED, Search
from quietmove.engine.values import Settings

__all__ = ["Effort", "Judge", "discs"]


@dataclass(frozen=True, slots=True)
class Effort:
    """How far a position is searched, and by which evaluation.

    :param depth: plies.
    :param exact: with at most this many empty squares the search goes to the end of the game.
    :param evaluation: the name of an evaluator.
    :param weights: the path of its weights, "" for those of the package.
    """

    depth: int
    exact: int
    evaluation: str = "learnt"
    weights: str = ""


class Judge:
    """A position and a search of it. It forgets nothing between positions: one judge for each block of work.

    :ivar position: play on it, or set it up.
    """

    def __init__(self, effort: Effort) -> None:
        self.effort = effort
        self.position = OthelloPosition(0x810000000, 0x1008000000, 0)
        settings = Settings(evaluation=effort.evaluation, evaluation_file=effort.weights)
        self._search = Search(self.position, None, settings, lambda: False)

    def is_exact(self) -> bool:
        """Tell whether the position is searched to the end of the game."""
        return self.position.moves_left() <= self.effort.exact

    def value(self, low: int = -INFINITE, high: int = INFINITE) -> tuple[int, int]:
        """Return the value in hundredths of a disc, from the side to move, and the best move.

        The window must hold the value. The game must not be over.
        """
        moves = self.position.legal_moves()
        plies = SOLVED if self.is_exact() else self.effort.depth
        value = self._search.run(plies, low, high, moves, True)
        return value, self._search.line()[0]


def discs(position: OthelloPosition) -> tuple[int, int]:
    """Return the discs of the side to move, and those of the other side."""
    return (position.white, position.black) if position.side_to_move else (position.black, position.white)
