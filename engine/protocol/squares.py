"""What is drawn on a board of squares, whatever draws it: what the last move did, and where the legal moves are."""

from __future__ import annotations

from dataclasses import dataclass

from quietmove.engine.games.base import Game, Position
from quietmove.engine.protocol.coordinates import LETTERS, SQUARE

__all__ = ["EMPTY", "Marks", "legal_squares", "marks_between"]

EMPTY = "-"


@dataclass(frozen=True, slots=True)
class Marks:
    """What the last move did.

    :param placed: the indices of squares that were empty before and are not now.
    :param changed: the indices of all other squares that it changed.
    """

    placed: frozenset[int] = frozenset()
    changed: frozenset[int] = frozenset()


def marks_between(before: str | None, after: str | None) -> Marks:
    """Return what changed from one board to the next, both as :meth:`Game.squares` gives them."""
    differing = [i for i, (old, new) in enumerate(zip(before or "", after or "", strict=False)) if old != new]
    placed = frozenset(i for i in differing if before and before[i] == EMPTY)
    return Marks(placed, frozenset(differing) - placed)


def legal_squares(game: Game, position: Position, squares: str) -> set[int]:
    """Return the indices of the squares that legal moves fill; of a column its lowest empty one."""
    assert game.grid is not None
    columns, found = game.grid.columns, set()
    for move in position.legal_moves():
        text = game.format_move(move)
        if game.grid.rows is None:
            column = squares[LETTERS.index(text) :: columns]
            found.add(columns * column.rindex(EMPTY) + LETTERS.index(text))
        elif match := SQUARE.fullmatch(text):
            found.add(columns * (int(match[2]) - 1) + LETTERS.index(match[1]))
    return found
