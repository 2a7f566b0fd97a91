"""Nim: one to six piles. A move takes any number of stones from one pile; whoever takes the last stone wins.

The side to move loses if and only if the XOR of the piles is 0 (Bouton 1901); the search does not use this. The
subtraction game uses the same positions: one pile, and a limit on the number of stones in a move.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Sequence
from functools import reduce
from math import prod
from operator import xor

import cython
from cython.cimports.quietmove.addons.games.nim import MAX_PILES, MAX_TAKE, WORD_BITS
from cython.cimports.quietmove.engine.games.base import WIN
from cython.cimports.quietmove.engine.games.bit_tricks import mixed

from quietmove.engine.errors import NotationError, PositionError, UnknownGameError
from quietmove.engine.games.base import Book, BookMove, Game, OwnPosition, Position
from quietmove.engine.games.parsing import read_count, read_side, require_fields
from quietmove.engine.games.picture import Item, Picture
from quietmove.engine.games.rules import Rules

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

DEFAULT_PILES = (3, 4, 5)  # the default of 'Game nim'
MAX_STONES = 120  # maximum total of all piles: a search can reach the end of a game with that many plies
MAX_SEARCHED = 1000  # games with more positions are played by theory instead of search
ANY_TAKE = 127  # the maximum number of stones that a move can encode
ROW = 12  # stones per row of the picture
GAP = 0.35  # distance between two piles in the picture, in stone widths
SIDE_BIT = cython.declare(cython.ulonglong, 1 << 62)  # set if White is to move; the piles use lower bits


class NimPosition(Position):
    """A position: the piles, packed into one word, the moves made, and the side to move.

    A move is 128 times the index of the pile, plus the number of stones taken.

    :param piles: stones in each pile, at most :data:`MAX_PILES` piles.
    :param side: 0 if Black is to move, 1 if White is.
    :param takes: the numbers of stones a move may take, up to :data:`MAX_TAKE`: bit n - 1 for n stones; 0 allows any.
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
        """Return the number of stones in a pile."""
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
        """Return the number of stones in each pile."""
        return tuple([self.pile(index) for index in range(self.pile_count)])

    def last_taken(self) -> tuple[int, int]:
        """Return the pile of the last move and the number of stones taken, or (0, 0) if there was no move."""
        return divmod(self.made[self.ply - 1], 128) if self.ply else (0, 0)

    def copy(self) -> NimPosition:
        return NimPosition(self.heaps(), self.side_to_move, self.takes)


class Nim(Game):
    """The game Nim; ``piles`` contains the initial number of stones in each pile."""

    point = "game"
    rules = Rules(
        "Nim",
        "There are several piles of stones. Black begins. A move takes any number of stones, at least one, from one "
        "pile. Whoever takes the last stone wins.",
        "the piles: 3,4,5",
        moves="3-2 1-1",
    )

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
            allowed = f"{len(self.piles)} numbers, such as {spell(self.piles)}"
            raise PositionError(f"piles: must be {allowed}, not {fields[0]!r}")
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
            raise NotationError(
                f"{text!r} is not a move; a move is 'pile-count', such as 1-2 for two stones from the first pile"
            )
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
        return XorBook() if prod(pile + 1 for pile in self.piles) > MAX_SEARCHED else None

    def canonical(self, position: NimPosition) -> str:
        return f"{spell(sorted(position.heaps()))} {self.sides[position.side_to_move]}"


class XorBook(Book):
    """A book of all Nim positions. Its values are bounds: a game lasts at most as many plies as there are stones."""

    def moves(self, position: OwnPosition) -> list[BookMove]:
        wins, left = winning_moves(position), position.moves_left()
        found = [BookMove(move, WIN - left, left - 1, exact=True, below=0, bound="lower") for move in wins]
        rest = sorted(set(position.legal_moves()) - set(wins), key=lambda move: (move & ANY_TAKE, move))
        return found + [BookMove(move, left - WIN, left - 1, exact=True, below=0, bound="upper") for move in rest]


def winning_moves(position: NimPosition) -> list[int]:
    """Return the moves after which the XOR of the piles is 0, largest first."""
    piles = position.heaps()
    total = reduce(xor, piles)
    wins = [128 * index + pile - (pile ^ total) for index, pile in enumerate(piles) if pile ^ total < pile]
    return sorted(wins, key=lambda move: -(move & ANY_TAKE))


def stone(x: float, y: float, name: str, label: str, move: str, taken: int, pile: int) -> Item:
    """Return the picture item for one stone of a pile.

    :param move: the move played by clicking on it, or "" if that many stones cannot be taken.
    :param taken: the number of stones taken by that move, or at most 0 if this stone has just been taken.
    """
    if taken <= 0:
        return Item("stone", x, y, name=name, mark="gone")
    return Item("stone", x, y, name=name, label=f"{label}: takes {taken}" if move else "", move=move, heap=pile)


def spell(piles: Sequence[int]) -> str:
    """Format piles as text: ``3,4,5``."""
    return ",".join(map(str, piles))


def make_game(parameters: str = "") -> Nim:
    """Return the game with these piles, such as ``3,4,5``.

    :raises UnknownGameError: if they are not one to six piles with a total of 1 to :data:`MAX_STONES` stones.
    """
    if not parameters:
        return Nim()
    if re.fullmatch(r"[0-9]{1,3}(,[0-9]{1,3}){0,5}", parameters):
        piles = [int(word) for word in parameters.split(",")]
        if 1 <= sum(piles) <= MAX_STONES:
            return Nim(piles)
    raise UnknownGameError(
        f"game nim: must be 1 to {MAX_PILES} piles separated by commas, with 1 to {MAX_STONES} stones in total, "
        f"such as 'nim {spell(DEFAULT_PILES)}', not {parameters!r}"
    )


class HeapTable:
    """A table of the Grundy value of each heap and the number of moves until the game is over.

    The number of moves assumes that the winner hurries and the loser delays.

    :param largest: the largest heap.
    :param takes: the allowed numbers of stones, as in :class:`NimPosition`; not 0.
    :ivar grundy: the Grundy value of each heap as a byte; 0 is a loss.
    """

    def __init__(self, largest: int, takes: int) -> None:
        self.grundy = bytearray(largest + 1)
        self.values = self.grundy
        self.ends = array("i", bytes(4 * (largest + 1)))
        self.fill(largest, takes)

    def plies(self, heap: int) -> int:
        """Return the number of moves until the game with this heap is over."""
        return self.ends[heap]

    def fill(self, largest: cython.int, takes: cython.ulonglong) -> None:
        """Compute the values of all heaps, each from smaller ones."""
        heap: cython.int
        take: cython.int
        for heap in range(largest + 1):
            found: cython.ulonglong = 0  # values reachable by a move
            quickest: cython.int = largest + 1
            slowest: cython.int = -1
            for take in range(1, min(heap, MAX_TAKE) + 1):
                if not takes >> (take - 1) & 1:
                    continue
                value: cython.int = self.values[heap - take]
                if value < MAX_TAKE:  # MAX_TAKE is the highest value and need not be excluded
                    found |= cython.cast(cython.ulonglong, 1) << value
                if value == 0:
                    quickest = min(quickest, self.ends[heap - take])
                slowest = max(slowest, self.ends[heap - take])
            least: cython.int = 0
            while least < MAX_TAKE and found >> least & 1:
                least += 1
            self.values[heap] = least
            self.ends[heap] = 1 + (quickest if least else slowest)
