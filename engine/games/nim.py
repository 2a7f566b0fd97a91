"""Nim: one to six piles, a move takes any number of stones from one pile, and who takes the last stone wins.

The side to move loses exactly where the XOR of the piles is 0 (Bouton 1901); the search does not use this. The
subtraction game is played on the same positions: one pile, of which a move takes a few stones at most.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Sequence
from functools import reduce
from math import prod
from operator import xor

import cython
from cython.cimports.quietmove.engine.games.base import WIN
from cython.cimports.quietmove.engine.games.bit_tricks import mixed
from cython.cimports.quietmove.engine.games.nim import MAX_PILES, MAX_TAKE, WORD_BITS

from quietmove.engine.errors import NotationError, PositionError, UnknownGameError
from quietmove.engine.games.base import Book, BookMove, Game, OwnPosition, Position
from quietmove.engine.games.parsing import read_count, read_side, require_fields
from quietmove.engine.games.picture import Item, Picture

__all__ = [
    "MAX_PILES",
    "MAX_STONES",
    "MAX_TAKE",
    "HeapTable",
    "Nim",
    "NimPosition",
    "make_game",
    "spell",
    "stone",
    "winning_moves",
]

DEFAULT_PILES = (3, 4, 5)  # played by 'Game nim' without parameters
MAX_STONES = 120  # all piles together have so many at most: a search sees the end of a game of as many plies
MOST_SEARCHED = 1000  # a game with more positions is played by its theory
ANY_TAKE = 127  # the most stones that the number of a move has room for
ROW = 12  # stones in a row of the picture
GAP = 0.35  # two piles of the picture are so far apart, in widths of a stone
SIDE_BIT = cython.declare(cython.ulonglong, 1 << 62)  # set where White is to move: the piles are below


class NimPosition(Position):
    """The piles in one word, the moves made, and whose turn it is.

    A move is a pile, counted from 0, times 128, plus the number of stones that it takes.

    :param piles: stones, at most :data:`MAX_PILES` piles.
    :param side: 0 if Black moves, 1 if White moves.
    :param takes: bit n - 1 is set where a move may take n stones, at most :data:`MAX_TAKE`; 0 for any number.
    """

    def __init__(self, piles: Sequence[int], side: cython.int, takes: cython.ulonglong = 0) -> None:
        super().__init__()
        self.pile_count = len(piles)
        self.pile_bits = WORD_BITS // self.pile_count
        self.piles = 0
        for index, stones in enumerate(piles):
            self.piles |= cython.cast(cython.ulonglong, stones) << self.pile_bits * index
        self.takes = takes
        self.least, self.most = 1, ANY_TAKE
        if takes:
            while not takes >> (self.least - 1) & 1:
                self.least += 1
            self.most = MAX_TAKE
            while not takes >> (self.most - 1) & 1:
                self.most -= 1
        self.made = array("i", bytes(4 * (sum(piles) + 1)))
        self.first_side = side
        self.key = self.key_here()

    def key_here(self) -> cython.ulonglong:
        """Return the key of the piles and the side to move."""
        return mixed(self.piles | (SIDE_BIT if (self.first_side + self.ply) & 1 else 0))

    def pile(self, index: cython.int) -> cython.int:
        """Return the stones of a pile."""
        return cython.cast(
            cython.int, self.piles >> self.pile_bits * index & (cython.cast(cython.ulonglong, 1) << self.pile_bits) - 1
        )

    def generate(self, moves: cython.p_int, start: cython.int) -> cython.int:
        end: cython.int = start
        pile: cython.int
        stones: cython.int
        for pile in range(self.pile_count):
            stones = min(self.pile(pile), self.most)
            while stones >= self.least:
                if self.takes == 0 or self.takes >> (stones - 1) & 1:
                    moves[end] = 128 * pile + stones
                    end += 1
                stones -= 1
        return end - start

    def make(self, move: cython.int) -> None:
        self.piles -= cython.cast(cython.ulonglong, move & 127) << self.pile_bits * (move >> 7)
        self.made[self.ply] = move
        self.ply += 1
        self.key = self.key_here()

    def unmake(self) -> None:
        self.ply -= 1
        move: cython.int = self.made[self.ply]
        self.piles += cython.cast(cython.ulonglong, move & 127) << self.pile_bits * (move >> 7)
        self.key = self.key_here()

    def evaluate(self) -> cython.int:
        return 0 if self.piles >= self.least else -WIN

    def final_score(self) -> cython.int:
        return -WIN

    def remaining(self) -> cython.int:
        stones: cython.int = 0
        pile: cython.int
        for pile in range(self.pile_count):
            stones += self.pile(pile)
        return stones // self.least

    def heaps(self) -> tuple[int, ...]:
        """Return the stones of each pile."""
        return tuple([self.pile(index) for index in range(self.pile_count)])

    def last_taken(self) -> tuple[int, int]:
        """Return the pile of the last move and how many stones it took; none where the position was set up."""
        return divmod(self.made[self.ply - 1], 128) if self.ply else (0, 0)

    def copy(self) -> NimPosition:
        return NimPosition(self.heaps(), self.side_to_move, self.takes)


class Nim(Game):
    """Nim with its start position.

    :param piles: stones of each pile at the start.
    """

    point = "game"

    def __init__(self, piles: Sequence[int] = DEFAULT_PILES) -> None:
        self.piles = tuple(piles)
        self.move_count = 128 * len(self.piles)
        self.name = "nim" if self.piles == DEFAULT_PILES else f"nim {spell(piles)}"

    def initial(self) -> NimPosition:
        return NimPosition(self.piles, 0)

    def parse_position(self, fields: Sequence[str]) -> NimPosition:
        require_fields(fields, 2, "piles and the side to move")
        words = fields[0].split(",")
        if len(words) != len(self.piles):
            raise PositionError(f"piles: must be {len(self.piles)}, such as {spell(self.piles)}, not {fields[0]!r}")
        piles = [
            read_count(f"pile {index}", word, 0, most)
            for index, (word, most) in enumerate(zip(words, self.piles, strict=True), 1)
        ]
        return NimPosition(piles, read_side(self.sides, fields[1]))

    def format_position(self, position: NimPosition) -> str:
        return f"{spell(position.heaps())} {self.sides[position.side_to_move]}"

    def parse_move(self, position: NimPosition, text: str) -> int:
        match = re.fullmatch(r"([1-9])-([1-9][0-9]?)", text)
        if match is None:
            raise NotationError(f"{text!r} is no move; a move is 'pile-count', such as 1-2 for two of the first pile")
        return self.require_legal(position, 128 * (int(match[1]) - 1) + int(match[2]), text)

    def format_move(self, move: int) -> str:
        return f"{(move >> 7) + 1}-{move & 127}"

    def draw(self, position: NimPosition) -> str:
        rows = [f"  {index} {'o' * pile or '-'}" for index, pile in enumerate(position.heaps(), 1)]
        return "\n".join([*rows, f"  {self.turn(position)}; stones: {position.moves_left()}"])

    def picture(self, position: NimPosition, viewer: int | None = None) -> Picture:
        last, taken = position.last_taken()
        items, top = [], 0.0
        for pile, (stones, room) in enumerate(zip(position.heaps(), self.piles, strict=True)):
            items.append(Item("text", 0.5, top + 0.5, str(pile + 1)))
            for index in range(stones + (taken if pile == last else 0)):
                x, y, count = 1.5 + index % ROW, top + 0.5 + index // ROW, stones - index
                of_pile = f"pile {pile + 1}, stone {index + 1} of {stones}"
                items.append(stone(x, y, f"{pile + 1}.{index + 1}", of_pile, f"{pile + 1}-{count}", count, pile))
            top += -(-room // ROW) + GAP
        return Picture(1 + min(ROW, max(self.piles)), top - GAP, tuple(items))

    def theory(self, position: NimPosition) -> list[str]:
        total = reduce(xor, position.heaps())
        wins = " ".join(self.format_move(move) for move in winning_moves(position))
        return [f"XOR of the piles: {total}, {f'a win by {wins}' if total else 'a loss'}"]

    def known(self) -> Book | None:
        return XorBook() if prod(pile + 1 for pile in self.piles) > MOST_SEARCHED else None

    def canonical(self, position: NimPosition) -> str:
        return f"{spell(sorted(position.heaps()))} {self.sides[position.side_to_move]}"


class XorBook(Book):
    """The book of all piles. Of a win and a loss it knows how long they take at most: the stones that are left."""

    def moves(self, position: OwnPosition) -> list[BookMove]:
        wins, left = winning_moves(position), position.moves_left()
        found = [BookMove(move, WIN - left, left - 1, exact=True, below=0, bound="lower") for move in wins]
        rest = sorted(set(position.legal_moves()) - set(wins), key=lambda move: (move & ANY_TAKE, move))
        return found + [BookMove(move, left - WIN, left - 1, exact=True, below=0, bound="upper") for move in rest]


def winning_moves(position: NimPosition) -> list[int]:
    """Return the moves after which the XOR of the piles is 0, the one that takes most first."""
    piles = position.heaps()
    total = reduce(xor, piles)
    wins = [128 * index + pile - (pile ^ total) for index, pile in enumerate(piles) if pile ^ total < pile]
    return sorted(wins, key=lambda move: -(move & ANY_TAKE))


def stone(x: float, y: float, name: str, label: str, move: str, taken: int, pile: int) -> Item:
    """Return a stone of a picture.

    :param move: what choosing it plays; empty if that is too many stones.
    :param taken: how many stones that takes; none or fewer if this one has just been taken.
    """
    if taken <= 0:
        return Item("stone", x, y, name=name, mark="gone")
    return Item("stone", x, y, name=name, label=f"{label}: takes {taken}" if move else "", move=move, heap=pile)


def spell(piles: Sequence[int]) -> str:
    """Return piles as text: ``3,4,5``."""
    return ",".join(map(str, piles))


def make_game(parameters: str) -> Nim:
    """Return the game of these piles, such as ``3,4,5``.

    :raises UnknownGameError: if that is not one to six piles of one to :data:`MAX_STONES` stones together.
    """
    if not parameters:
        return Nim()
    if re.fullmatch(r"[0-9]{1,3}(,[0-9]{1,3}){0,5}", parameters):
        piles = [int(word) for word in parameters.split(",")]
        if 1 <= sum(piles) <= MAX_STONES:
            return Nim(piles)
    raise UnknownGameError(
        f"game nim: must be 1 to {MAX_PILES} piles, separated by commas, of 1 to {MAX_STONES} stones together, "
        f"such as 'nim {spell(DEFAULT_PILES)}', not {parameters!r}"
    )


class HeapTable:
    """The Grundy value of each heap, and the moves to its end: who wins does so as soon as possible, who loses late.

    :param largest: the last heap.
    :param takes: as :class:`NimPosition` has it; not 0.
    :ivar grundy: a byte for each heap; 0 is a loss.
    """

    def __init__(self, largest: int, takes: int) -> None:
        self.grundy = bytearray(largest + 1)
        self.values = self.grundy
        self.ends = array("i", bytes(4 * (largest + 1)))
        self.fill(largest, takes)

    def plies(self, heap: int) -> int:
        """Return the moves to the end of a heap."""
        return self.ends[heap]

    def fill(self, largest: cython.int, takes: cython.ulonglong) -> None:
        """Compute all heaps, each from those before it."""
        heap: cython.int
        take: cython.int
        for heap in range(largest + 1):
            found: cython.ulonglong = 0  # the values that moves lead to
            quickest: cython.int = largest + 1
            slowest: cython.int = -1
            for take in range(1, min(heap, MAX_TAKE) + 1):
                if not takes >> (take - 1) & 1:
                    continue
                value: cython.int = self.values[heap - take]
                if value < MAX_TAKE:  # no value is higher than MAX_TAKE, so that it need not be excluded
                    found |= cython.cast(cython.ulonglong, 1) << value
                if value == 0:
                    quickest = min(quickest, self.ends[heap - take])
                slowest = max(slowest, self.ends[heap - take])
            least: cython.int = 0
            while least < MAX_TAKE and found >> least & 1:
                least += 1
            self.values[heap] = least
            self.ends[heap] = 1 + (quickest if least else slowest)
