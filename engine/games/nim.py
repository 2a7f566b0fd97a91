"""Nim: one to six piles, a move takes any number of stones from one pile, and who takes the last stone wins.

The side to move loses exactly where the XOR of the piles is 0 (Bouton 1901); the search does not use this.
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
else:  # nim.pxd has the numbers as C constants
    from quietmove.engine.games.base import WIN
    from quietmove.engine.games.bit_tricks import mixed

    MAX_PILES = 6
    MAX_STONES = 64  # of all piles together: each is a move

__all__ = ["MAX_PILES", "MAX_STONES", "Nim", "NimPosition", "make_game"]

PILES = (3, 4, 5)  # where no parameters are given
ROW = 12  # stones in a row of the picture
GAP = 0.35  # between two piles in it
SIDE_BIT = cython.declare(cython.ulonglong, 1 << 62)  # of a state, above the bits of the piles


class NimPosition(Position):
    """The piles, eight bits each in one word, and whose turn it is.

    A move is a pile, counted from 0, times 128, plus the number of stones that it takes.

    :param piles: stones, :data:`MAX_STONES` together and :data:`MAX_PILES` piles at most.
    :param side: 0 if Black moves, 1 if White moves.
    """

    def __init__(self, piles: Sequence[int], side: cython.int) -> None:
        super().__init__()
        if not cython.compiled:
            self.piles_at = [0] * (MAX_STONES + 1)
        packed: cython.ulonglong = 0
        for index, stones in enumerate(piles):
            packed |= stones << 8 * index
        self.piles_at[0] = packed
        self.pile_count = len(piles)
        self.first_side = side
        self.key = mixed(packed | (SIDE_BIT if side else 0))

    def generate(self, moves: cython.p_int, start: cython.int) -> cython.int:
        """Write every number of stones of every pile, a whole pile before a part of it."""
        piles: cython.ulonglong = self.piles_at[self.ply]
        end: cython.int = start
        pile: cython.int
        stones: cython.int
        for pile in range(self.pile_count):
            stones = piles >> 8 * pile & 255
            while stones > 0:
                moves[end] = 128 * pile + stones
                end += 1
                stones -= 1
        return end - start

    def make(self, move: cython.int) -> None:
        """Take stones from a pile."""
        taken: cython.ulonglong = cython.cast(cython.ulonglong, move & 127) << 8 * (move >> 7)
        piles: cython.ulonglong = self.piles_at[self.ply] - taken
        self.ply += 1
        self.piles_at[self.ply] = piles
        self.key = mixed(piles | (SIDE_BIT if (self.first_side + self.ply) & 1 else 0))

    def unmake(self) -> None:
        """Put the last stones back."""
        self.ply -= 1
        self.key = mixed(self.piles_at[self.ply] | (SIDE_BIT if (self.first_side + self.ply) & 1 else 0))

    def evaluate(self) -> cython.int:
        """Return 0: nothing is known before the last stone is taken."""
        return 0 if self.piles_at[self.ply] else -WIN

    def final_score(self) -> cython.int:
        """Return a loss: the other side has taken the last stone."""
        return -WIN

    def remaining(self) -> cython.int:
        """Return the number of stones, which is the longest that the game can last."""
        piles: cython.ulonglong = self.piles_at[self.ply]
        stones: cython.int = 0
        while piles:
            stones += piles & 255
            piles >>= 8
        return stones

    def heaps(self) -> tuple[int, ...]:
        """Return the piles, independent of each other (see :mod:`quietmove.engine.search.grundy`)."""
        return tuple([self.piles_at[self.ply] >> 8 * pile & 255 for pile in range(self.pile_count)])

    def last_taken(self) -> tuple[int, int]:
        """Return the pile of the last move and how many stones it took; none where the position was set up."""
        if self.ply == 0:
            return 0, 0
        taken: cython.ulonglong = self.piles_at[self.ply - 1] - self.piles_at[self.ply]
        pile: cython.int = 0
        while taken & 255 == 0:
            taken >>= 8
            pile += 1
        return pile, taken

    def rests(self, heap: int) -> range:
        """Return what a move can leave of a pile."""
        return range(heap)

    def copy(self) -> NimPosition:
        """Return the same position without its history."""
        return NimPosition(self.heaps(), self.side_to_move)


class Nim(Game):
    """Nim with its start position.

    :param piles: stones of each pile at the start.
    """

    point = "game"
    players = ("Black", "White")
    sides = ("X", "O")

    def __init__(self, piles: Sequence[int] = PILES) -> None:
        self.piles = tuple(piles)
        self.name = "nim" if self.piles == PILES else f"nim {spell(piles)}"

    def initial(self) -> NimPosition:
        """Return the whole piles, Black to move."""
        return NimPosition(self.piles, 0)

    def parse_position(self, fields: Sequence[str]) -> NimPosition:
        """Return the position of the piles, separated by commas, and a side to move."""
        if len(fields) != 2:
            raise PositionError(f"position: two fields, piles and the side to move, are allowed; {len(fields)} came")
        words = fields[0].split(",")
        if len(words) != len(self.piles):
            allowed = (
                "1 pile is" if len(self.piles) == 1 else f"{len(self.piles)} piles, such as {spell(self.piles)}, are"
            )
            raise PositionError(f"piles: {allowed} allowed; {len(words)} came: {fields[0]!r}")
        piles = [
            read_count(f"pile {index + 1}", word, 0, most)
            for index, (word, most) in enumerate(zip(words, self.piles, strict=True))
        ]
        return NimPosition(piles, read_side(self, fields[1]))

    def format_position(self, position: Position) -> str:
        """Return the piles and the side to move."""
        return f"{spell(nim(position).heaps())} {self.sides[position.side_to_move]}"

    def parse_move(self, position: Position, text: str) -> int:
        """Return the legal move that takes stones from a pile, ``2-5``: five from the second."""
        match = re.fullmatch(r"([1-9])-([1-9][0-9]?)", text)
        if match is None:
            raise NotationError(f"{text!r} is no move; a move is 'pile-count', such as 1-2 for two of the first pile")
        return require_legal(self, position, 128 * (int(match[1]) - 1) + int(match[2]), text)

    def format_move(self, move: int) -> str:
        """Return pile and number of stones."""
        return f"{(move >> 7) + 1}-{move & 127}"

    def draw(self, position: Position) -> str:
        """Return a row of stones for each pile."""
        rows = [f"  {index} {'o' * pile or '-'}" for index, pile in enumerate(nim(position).heaps(), 1)]
        side = position.side_to_move
        state = f"{self.sides[side]} ({self.players[side]}) to move" if position.moves_left() else "game over"
        return "\n".join([*rows, f"  {state}; stones: {position.moves_left()}"])

    def picture(self, position: Position, viewer: int | None = None) -> Picture:
        """Return the piles, each in rows of stones; choosing a stone takes it and those behind it."""
        board = nim(position)
        last, taken = board.last_taken()
        items, top = [], 0.0
        for pile, (stones, room) in enumerate(zip(board.heaps(), self.piles, strict=True)):
            items.append(Item("text", 0.5, top + 0.5, str(pile + 1)))
            seen = stones + (taken if pile == last else 0)
            items += [self._stone(pile, index, stones, top) for index in range(seen)]
            top += -(-room // ROW) + GAP
        return Picture(1 + min(ROW, max(self.piles)), top - GAP, tuple(items))

    def _stone(self, pile: int, index: int, stones: int, top: float) -> Item:
        """Return a stone of a pile of so many; those beyond them have just been taken."""
        x, y, name = 1.5 + index % ROW, top + 0.5 + index // ROW, f"{pile + 1}.{index + 1}"
        if index >= stones:
            return Item("stone", x, y, name=name, mark="gone")
        taken = stones - index
        label = f"pile {pile + 1}, stone {index + 1} of {stones}: takes {taken}"
        return Item("stone", x, y, name=name, label=label, move=f"{pile + 1}-{taken}", heap=pile)

    def canonical(self, position: Position) -> str:
        """Return the piles by size: their order does not matter."""
        return f"{spell(sorted(nim(position).heaps()))} {self.sides[position.side_to_move]}"


def spell(piles: Sequence[int]) -> str:
    """Return piles as text: ``3,4,5``."""
    return ",".join(map(str, piles))


def nim(position: Position) -> NimPosition:
    """Return ``position`` with the type that it has here; any other type is a bug of the caller."""
    assert isinstance(position, NimPosition)
    return position


def make_game(parameters: str) -> Nim:
    """Return the game of these piles, such as ``3,4,5``.

    :raises UnknownGameError: if that is not one to six piles of one to 64 stones together.
    """
    if not parameters:
        return Nim()
    if re.fullmatch(r"[0-9]{1,2}(,[0-9]{1,2}){0,5}", parameters):
        piles = [int(word) for word in parameters.split(",")]
        if 1 <= sum(piles) <= MAX_STONES:
            return Nim(piles)
    raise UnknownGameError(
        f"game nim: 1 to {MAX_PILES} piles, separated by commas, of 1 to {MAX_STONES} stones together are allowed, "
        f"such as 'nim {spell(PILES)}'; {parameters!r} came"
    )
