"""What is drawn on a board of squares, whatever draws it: what the last move did, and where the legal moves are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from quietmove.engine.games.base import NATURE, Game, Position

EMPTY = "-"


@dataclass(frozen=True, slots=True)
class Marks:
    """What the last move did.

    :param placed: the indices of the squares in which it put a piece: the empty squares that it filled; if it filled
        none, the squares that hold another piece than before.
    :param changed: the indices of all other squares that it changed.
    """

    placed: frozenset[int] = frozenset()
    changed: frozenset[int] = frozenset()


def marks_between(before: str | None, after: str | None) -> Marks:
    """Return what changed from one board to the next, both as :meth:`Game.squares` gives them."""
    differing = [i for i, (old, new) in enumerate(zip(before or "", after or "", strict=False)) if old != new]
    filled = frozenset(i for i in differing if after and after[i] != EMPTY)
    placed = frozenset(i for i in filled if before and before[i] == EMPTY) or filled
    return Marks(placed, frozenset(differing) - placed)


def last_marks(game: Game, position: Position, moves: Sequence[int]) -> Marks:
    """Return what the last move of a player did; nature's moves after it changed nothing.

    :param moves: that led to ``position`` since it was set up.
    """
    after, count = game.squares(position), 0
    if after is None:
        return Marks()
    while count < len(moves):
        position.undo()
        count += 1
        if position.side_to_move != NATURE:
            break
    before = game.squares(position)
    for move in moves[len(moves) - count :]:
        position.play(move)
    return marks_between(before, after)


def legal_squares(game: Game, position: Position) -> set[int]:
    """Return the indices of the squares in which legal moves put a piece."""
    before, trial, found = game.squares(position), position.copy(), set[int]()
    for move in trial.legal_moves():
        trial.play(move)
        found |= marks_between(before, game.squares(trial)).placed
        trial.undo()
    return found
