"""The subtraction game: one heap, a move takes 1 to k stones, and who takes the last stone wins.

The side to move loses exactly where the heap is a multiple of k + 1 (Bouton 1901 has the theory); the search does not
use this.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import cython

from quietmove.engine.errors import NotationError, PositionError, UnknownGameError
from quietmove.engine.games.base import Game, Position
from quietmove.engine.games.picture import Item, Picture
from quietmove.engine.games.small_notation import read_count, read_side, require_legal

if cython.compiled:
    from cython.cimports.quietmove.engine.games.base import WIN
    from cython.cimports.quietmove.engine.games.bit_tricks import mixed
else:  # subtraction.pxd has the numbers as C constants
    from quietmove.engine.games.base import WIN
    from quietmove.engine.games.bit_tricks import mixed

    MAX_HEAP = 1000  # stones: each may be a ply of a game; a search sees base.MAX_PLY of them
    MAX_TAKE = 64  # stones per move

__all__ = ["MAX_HEAP", "MAX_TAKE", "Subtraction", "SubtractionPosition", "make_game"]

HEAP, TAKE = 21, 3  # where no parameters are given
ROW = 50  # stones in a row of the drawing
PICTURE_ROW = 10  # and of the picture
PICTURE_ROWS = 10  # that it has, or more where moves take many stones; of a larger heap it has the end


class SubtractionPosition(Position):
    """A heap and whose turn it is; a move is the number of stones that it takes.

    :param heap: stones, 0 to :data:`MAX_HEAP`.
    :param most: the most that one move takes, 1 to :data:`MAX_TAKE`.
    :param side: 0 if Black moves, 1 if White moves.
    """

    def __init__(self, heap: cython.int, most: cython.int, side: cython.int) -> None:
        super().__init__()
        if not cython.compiled:
            self.heap_at = [0] * (MAX_HEAP + 1)
        self.heap_at[0] = heap
        self.most = most
        self.first_side = side
        self.key = mixed(2 * heap + side)

    def generate(self, moves: cython.p_int, start: cython.int) -> cython.int:
        """Write the numbers of stones that may be taken, the largest first."""
        heap: cython.int = self.heap_at[self.ply]
        count: cython.int = self.most if self.most < heap else heap
        i: cython.int
        for i in range(count):
            moves[start + i] = count - i
        return count

    def make(self, move: cython.int) -> None:
        """Take ``move`` stones."""
        heap: cython.int = self.heap_at[self.ply] - move
        self.ply += 1
        self.heap_at[self.ply] = heap
        self.key = mixed(2 * heap + ((self.first_side + self.ply) & 1))

    def unmake(self) -> None:
        """Put the last stones back."""
        self.ply -= 1
        self.key = mixed(2 * self.heap_at[self.ply] + ((self.first_side + self.ply) & 1))

    def evaluate(self) -> cython.int:
        """Return 0: nothing is known before the last stone is taken."""
        return 0 if self.heap_at[self.ply] else -WIN

    def final_score(self) -> cython.int:
        """Return a loss: the other side has taken the last stone."""
        return -WIN

    def remaining(self) -> cython.int:
        """Return the number of stones, which is the longest that the game can last."""
        return self.heap_at[self.ply]

    def heaps(self) -> tuple[int, ...]:
        """Return the one heap (see :mod:`quietmove.engine.search.grundy`)."""
        return (self.heap_at[self.ply],)

    def last_taken(self) -> int:
        """Return how many stones the last move took; none where the position was set up."""
        return self.heap_at[self.ply - 1] - self.heap_at[self.ply] if self.ply else 0

    def rests(self, heap: int) -> range:
        """Return what a move can leave of a heap."""
        return range(max(0, heap - self.most), heap)

    def copy(self) -> SubtractionPosition:
        """Return the same position without its history."""
        return SubtractionPosition(self.heap_at[self.ply], self.most, self.side_to_move)


class Subtraction(Game):
    """The subtraction game with its start position.

    :param heap: stones at the start.
    :param most: the most that one move takes.
    """

    point = "game"
    players = ("Black", "White")
    sides = ("X", "O")

    def __init__(self, heap: int = HEAP, most: int = TAKE) -> None:
        self.heap, self.most = heap, most
        self.name = "subtraction" if (heap, most) == (HEAP, TAKE) else f"subtraction {heap} {most}"

    def initial(self) -> SubtractionPosition:
        """Return the whole heap, Black to move."""
        return SubtractionPosition(self.heap, self.most, 0)

    def parse_position(self, fields: Sequence[str]) -> SubtractionPosition:
        """Return the position of a number of stones and a side to move."""
        if len(fields) != 2:
            raise PositionError(f"position: two fields, stones and the side to move, are allowed; {len(fields)} came")
        return SubtractionPosition(read_count("heap", fields[0], 0, self.heap), self.most, read_side(self, fields[1]))

    def format_position(self, position: Position) -> str:
        """Return the number of stones and the side to move."""
        return f"{position.moves_left()} {self.sides[position.side_to_move]}"

    def parse_move(self, position: Position, text: str) -> int:
        """Return the legal move that takes the number of stones in ``text``."""
        if not re.fullmatch(r"[1-9][0-9]{0,2}", text):
            raise NotationError(f"{text!r} is no move; a move is the number of stones it takes, 1 to {self.most}")
        return require_legal(self, position, int(text), text)

    def format_move(self, move: int) -> str:
        """Return the number of stones."""
        return str(move)

    def draw(self, position: Position) -> str:
        """Return the heap as rows of stones."""
        heap, side = position.moves_left(), position.side_to_move
        state = f"{self.sides[side]} ({self.players[side]}) to move, takes 1 to {self.most}" if heap else "game over"
        rows = ["o" * min(ROW, heap - start) for start in range(0, heap, ROW)] or ["-"]
        return "\n".join(f"  {row}" for row in (*rows, f"{state}; stones: {heap}"))

    def picture(self, position: Position, viewer: int | None = None) -> Picture:
        """Return the end of the heap in rows of stones; choosing a stone takes it and those behind it."""
        board = subtraction(position)
        heap = board.moves_left()
        seen = heap + board.last_taken()
        most = max(PICTURE_ROWS, 2 * rows_of(self.most) + 2)  # two moves are seen whole
        rows = min(most, max(1, rows_of(self.heap)))
        first = max(0, rows_of(seen) - rows)
        count = "1 stone" if heap == 1 else f"{heap} stones"
        told = f"{'the last of ' if first else ''}{count}; a move takes 1 to {self.most}"
        columns = min(PICTURE_ROW, max(self.heap, 1))
        stones = [self._stone(index, heap, 1 - first) for index in range(PICTURE_ROW * first, seen)]
        return Picture(columns, rows + 1, (Item("text", columns / 2, 0.5, told, label=told), *stones))

    def _stone(self, index: int, heap: int, lower: int) -> Item:
        """Return a stone of the heap, lower by so many rows; those beyond the heap have just been taken."""
        x, y, name = index % PICTURE_ROW + 0.5, index // PICTURE_ROW + lower + 0.5, str(index + 1)
        if index >= heap:
            return Item("stone", x, y, name=name, mark="gone")
        taken = heap - index
        if taken > self.most:
            return Item("stone", x, y, name=name, heap=0)
        label = f"stone {index + 1} of {heap}: takes {taken}"
        return Item("stone", x, y, name=name, label=label, move=str(taken), heap=0)


def rows_of(stones: int) -> int:
    """Return how many rows of the picture so many stones fill."""
    return -(-stones // PICTURE_ROW)


def subtraction(position: Position) -> SubtractionPosition:
    """Return ``position`` with the type that it has here; any other type is a bug of the caller."""
    assert isinstance(position, SubtractionPosition)
    return position


def make_game(parameters: str) -> Subtraction:
    """Return the game of ``heap k``, such as ``21 3``.

    :raises UnknownGameError: if that is not two numbers within their bounds.
    """
    if not parameters:
        return Subtraction()
    words = parameters.split()
    if len(words) == 2 and all(re.fullmatch(r"[0-9]{1,4}", word) for word in words):
        heap, most = map(int, words)
        if heap <= MAX_HEAP and 1 <= most <= MAX_TAKE:
            return Subtraction(heap, most)
    raise UnknownGameError(
        f"game subtraction: a heap of 0 to {MAX_HEAP} and the most a move takes, 1 to {MAX_TAKE}, are allowed, "
        f"such as 'subtraction {HEAP} {TAKE}'; {parameters!r} came"
    )
