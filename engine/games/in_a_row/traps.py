"""The opening book of tic-tac-toe: of the best moves, those after which the fewest replies keep the value.

So it begins in a corner, which only one reply of eight survives, and goes on to the opposite corner after that reply.
A threat to win at once is no trap: it is left out, unless it wins.
"""

from __future__ import annotations

from quietmove.engine.games.base import WIN, Book, BookMove, Position

BOOK_PLIES = 4  # the book knows the first four moves of a game
CELLS = 9
CORNERS = (0, 2, 6, 8)
OVERLOOKED = 1 - WIN  # the value of a reply that overlooks a threat to win at once


class TrapBook(Book):
    """The book; it solves the game when it is first asked."""

    def __init__(self) -> None:
        self._values: dict[int, int] = {}

    def moves(self, position: Position) -> list[BookMove]:
        """Return the best moves to which fewest replies keep the value, the corners among them if there are any.

        There are none after the first four moves of a game, nor where all best moves only threaten to win at once.
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
        """Return the value of each move, from the side that makes it."""
        values = []
        for move in position.legal_moves():
            position.play(move)
            values.append(-self._value(position))
            position.undo()
        return values

    def _value(self, position: Position) -> int:
        """Return the value of a position for the side to move; a ply makes a win or a loss worth one less."""
        if position.key not in self._values:
            best = max(self._replies(position), default=None)
            if best is None:
                known = position.static_value()
            else:
                known = best - (best > 0) + (best < 0)
            self._values[position.key] = known
        return self._values[position.key]
