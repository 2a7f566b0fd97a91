"""The subtraction game: one heap, a move takes 1 to k stones, and who takes the last stone wins.

The side to move loses exactly where the heap is a multiple of k + 1 (Bouton 1901 has the theory); the search does not
use this.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from quietmove.engine.errors import NotationError, UnknownGameError
from quietmove.engine.games.base import Game
from quietmove.engine.games.nim import MAX_PILE, MAX_TAKE, NimPosition, stone
from quietmove.engine.games.picture import Item, Picture
from quietmove.engine.games.reading import read_count, read_side, require_fields

__all__ = ["Subtraction", "make_game"]

HEAP, TAKE = 21, 3  # where no parameters are given
ROW = 50  # stones in a row of the drawing
PICTURE_ROW = 10  # stones in a row of the picture
PICTURE_ROWS = 10  # rows of the picture, or more where moves take many stones; of a larger heap it has the end


class Subtraction(Game):
    """The subtraction game with its start position: Nim with one pile and a bound on the stones of a move.

    :param heap: stones at the start.
    :param most: the most that one move takes.
    """

    point = "game"

    def __init__(self, heap: int = HEAP, most: int = TAKE) -> None:
        self.heap, self.most = heap, most
        self.name = "subtraction" if (heap, most) == (HEAP, TAKE) else f"subtraction {heap} {most}"

    def initial(self) -> NimPosition:
        """Return the whole heap, Black to move."""
        return NimPosition((self.heap,), 0, self.most)

    def parse_position(self, fields: Sequence[str]) -> NimPosition:
        """Return the position of a number of stones and a side to move."""
        require_fields(fields, 2, "stones and the side to move")
        heap = read_count("heap", fields[0], 0, self.heap)
        return NimPosition((heap,), read_side(self.sides, fields[1]), self.most)

    def format_position(self, position: NimPosition) -> str:
        """Return the number of stones and the side to move."""
        return f"{position.moves_left()} {self.sides[position.side_to_move]}"

    def parse_move(self, position: NimPosition, text: str) -> int:
        """Return the legal move that takes the number of stones in ``text``."""
        if not re.fullmatch(r"[1-9][0-9]{0,2}", text):
            raise NotationError(f"{text!r} is no move; a move is the number of stones it takes, 1 to {self.most}")
        return self.require_legal(position, int(text), text)

    def format_move(self, move: int) -> str:
        """Return the number of stones."""
        return str(move)

    def draw(self, position: NimPosition) -> str:
        """Return the heap as rows of stones."""
        heap = position.moves_left()
        takes = f", takes 1 to {self.most}" if heap else ""
        rows = ["o" * min(ROW, heap - start) for start in range(0, heap, ROW)] or ["-"]
        return "\n".join(f"  {row}" for row in (*rows, f"{self.turn(position)}{takes}; stones: {heap}"))

    def picture(self, position: NimPosition, viewer: int | None = None) -> Picture:
        """Return the end of the heap in rows of stones; choosing a stone takes it and those behind it."""
        heap = position.moves_left()
        seen = heap + position.last_taken()[1]
        most = max(PICTURE_ROWS, 2 * rows_of(self.most) + 2)  # two moves are seen whole
        rows = min(most, max(1, rows_of(self.heap)))
        first = max(0, rows_of(seen) - rows)
        count = "1 stone" if heap == 1 else f"{heap} stones"
        told = f"{'the last of ' if first else ''}{count}; a move takes 1 to {self.most}"
        columns = min(PICTURE_ROW, max(self.heap, 1))
        items = [Item("text", columns / 2, 0.5, told, label=told)]
        for index in range(PICTURE_ROW * first, seen):
            x, y, taken = index % PICTURE_ROW + 0.5, index // PICTURE_ROW + 1.5 - first, heap - index
            label, move = f"stone {index + 1} of {heap}", str(taken) if taken <= self.most else ""
            items.append(stone(x, y, str(index + 1), label, move, taken, 0))
        return Picture(columns, rows + 1, tuple(items))


def rows_of(stones: int) -> int:
    """Return how many rows of the picture so many stones fill."""
    return -(-stones // PICTURE_ROW)


def make_game(parameters: str) -> Subtraction:
    """Return the game of ``heap k``, such as ``21 3``.

    :raises UnknownGameError: if that is not two numbers within their bounds.
    """
    if not parameters:
        return Subtraction()
    words = parameters.split()
    if len(words) == 2 and all(re.fullmatch(r"[0-9]{1,4}", word) for word in words):
        heap, most = map(int, words)
        if heap <= MAX_PILE and 1 <= most <= MAX_TAKE:
            return Subtraction(heap, most)
    raise UnknownGameError(
        f"game subtraction: must be a heap of 0 to {MAX_PILE} and the most a move takes, 1 to {MAX_TAKE}, "
        f"such as 'subtraction {HEAP} {TAKE}', not {parameters!r}"
    )
