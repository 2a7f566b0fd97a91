"""The opening book of tic-tac-toe. Of the best moves, it plays those to which the fewest replies are correct.

It opens in a corner, after which seven of the eight replies lose, and then takes the opposite corner. A direct threat
to win is not considered a trap, so moves with such a threat are excluded unless they win.
"""

from __future__ import annotations

from quietmove.engine.games.base import WIN, Book, BookMove, Position

BOOK_PLIES = 4  # the book covers the first four moves of a game
CELLS = 9
CORNERS = (0, 2, 6, 8)
OVERLOOKED = 1 - WIN  # value of a reply that overlooks a direct threat to win


class TrapBook(Book):
    """An opening book for tic-tac-toe that solves the game on first use."""

    def __init__(self) -> None:
        self._values: dict[int, int] = {}

    def moves(self, position: Position) -> list[BookMove]:
        """Return those of the best moves to which the fewest replies are correct, preferring corners.

        Returns [] after the first four moves of a game, or if all best moves are direct threats.
        """
        left = position.moves_left()
        if left <= CELLS - BOOK_PLIES or position.is_over():
            return []
        value = self._value(position)
        rated = []
        for move in position.legal_moves():
            position.play(move)
            replies = self._replies(position)
            position.undo()
            best = max(replies)
            threatens = value <= 0 and min(replies) <= OVERLOOKED
            rated.append((best, threatens, replies.count(best), move not in CORNERS, move))
        first = min(rated)[:-1]
        if first[1]:
            return []
        return [
            BookMove(move, value, left - 1, exact=True, below=0) for *rating, move in rated if tuple(rating) == first
        ]

    def _replies(self, position: Position) -> list[int]:
        """Return the value of each move from the mover's point of view."""
        values = []
        for move in position.legal_moves():
            position.play(move)
            values.append(-self._value(position))
            position.undo()
        return values

    def _value(self, position: Position) -> int:
        """Return the value of a position for the side to move. Each ply reduces a win or a loss by one."""
        if position.key not in self._values:
            best = max(self._replies(position), default=None)
            if best is None:
                known = position.static_value()
            else:
                known = best - (best > 0) + (best < 0)
            self._values[position.key] = known
        return self._values[position.key]
