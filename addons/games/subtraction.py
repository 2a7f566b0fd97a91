"""The subtraction game: each move takes an allowed number of stones from a heap, and a side that cannot move loses.

A heap is lost for the side to move if and only if its Grundy value is 0; if a move takes 1 to k stones, the lost heaps
are the multiples of k + 1 (Bouton 1901, Grundy 1939). Each value depends only on a few smaller heaps, so the values are
periodic. The engine plays by these values, but a search to a given depth does not use them.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from quietmove.addons.games.nim import MAX_TAKE, HeapTable, NimPosition, stone
from quietmove.engine.errors import NotationError, UnknownGameError
from quietmove.engine.games.base import WIN, Book, BookMove, Game, OwnPosition
from quietmove.engine.games.parsing import read_count, read_side, require_fields
from quietmove.engine.games.picture import Item, Picture
from quietmove.engine.games.rules import Rules

DEFAULT_HEAP, DEFAULT_TAKE = 21, 3  # the defaults of 'Game subtraction'
MAX_HEAP = 100_000
MAX_PLIES = 999  # longer wins and losses are scored as if they took this many plies
PERIOD_WITHIN = 20_000  # the largest heap examined for a period, unless the game's heap is larger
DRAWN_COLUMNS = 50  # stones per row of the text drawing
DRAWN_ROWS = 20  # maximum number of rows of the drawing; for a larger heap, only the last rows are shown
PICTURE_ROW = 10  # stones per row of the picture
PICTURE_ROWS = 10  # rows of the picture (more if moves take many stones); for a larger heap, the last rows are shown


class Subtraction(Game):
    """The subtraction game with a given initial heap: Nim with one pile and a set of allowed moves.

    :param heap: initial number of stones.
    :param takes: the numbers of stones that a move may take, in ascending order.
    """

    point = "game"
    rules = Rules(
        "Subtraction",
        "There is one heap of stones. Black begins. A move takes one, two or three stones from it. Whoever takes the "
        "last stone wins: a player who cannot move loses. The parameters change how many stones a move may take.",
        "21 3: stones in the heap and the maximum per move; or 100 1,3,4: the numbers that a move may take",
        ("bachet", "21"),
        moves="2 3",
    )

    def __init__(self, heap: int = DEFAULT_HEAP, takes: Sequence[int] = tuple(range(1, DEFAULT_TAKE + 1))) -> None:
        self.heap, self.takes = heap, tuple(takes)
        self.most = takes[-1]
        self.move_count = self.most + 1
        self.any_to_most = len(takes) == self.most
        self.mask = sum(1 << take - 1 for take in takes)
        spelled = str(self.most) if self.any_to_most else ",".join(map(str, takes))
        self.name = (
            "subtraction" if (heap, spelled) == (DEFAULT_HEAP, str(DEFAULT_TAKE)) else f"subtraction {heap} {spelled}"
        )
        self.choice = f"1 to {self.most}" if self.any_to_most else either(takes)

    def initial(self) -> NimPosition:
        return NimPosition((self.heap,), 0, self.mask)

    def parse_position(self, fields: Sequence[str]) -> NimPosition:
        require_fields(fields, 2, "stones and the side to move")
        heap = read_count("heap", fields[0], 0, self.heap)
        return NimPosition((heap,), read_side(self.sides, fields[1]), self.mask)

    def format_position(self, position: NimPosition) -> str:
        return f"{position.heaps()[0]} {self.sides[position.side_to_move]}"

    def parse_move(self, position: NimPosition, text: str) -> int:
        if not re.fullmatch(r"[1-9][0-9]{0,2}", text):
            raise NotationError(f"{text!r} is not a move; a move is the number of stones to take, {self.choice}")
        return self.require_legal(position, int(text), text)

    def format_move(self, move: int) -> str:
        return str(move)

    def draw(self, position: NimPosition) -> str:
        heap = position.heaps()[0]
        takes = f", takes {self.choice}" if position.moves_left() else ""
        rows = ["o" * min(DRAWN_COLUMNS, heap - start) for start in range(0, heap, DRAWN_COLUMNS)] or ["-"]
        rows[:-DRAWN_ROWS] = ["..."] if len(rows) > DRAWN_ROWS else []
        return "\n".join(f"  {row}" for row in (*rows, f"{self.turn(position)}{takes}; stones: {heap}"))

    def picture(self, position: NimPosition, viewer: int | None = None) -> Picture:
        heap = position.heaps()[0]
        shown_stones = heap + position.last_taken()[1]
        most = max(PICTURE_ROWS, 2 * rows_of(self.most) + 2)  # two moves are completely visible
        rows = min(most, max(1, rows_of(self.heap)))
        first = max(0, rows_of(shown_stones) - rows)
        count = "1 stone" if heap == 1 else f"{heap} stones"
        spoken = f"{'the last of ' if first else ''}{count}; a move takes {self.choice}"
        columns = min(PICTURE_ROW, max(self.heap, 1))
        items = [Item("text", columns / 2, 0.5, spoken, label=spoken)]
        for index in range(PICTURE_ROW * first, shown_stones):
            x, y, taken = index % PICTURE_ROW + 0.5, index // PICTURE_ROW + 1.5 - first, heap - index
            label = f"stone {index + 1} of {heap}"
            move = str(taken) if taken in self.takes else ""
            items.append(stone(x, y, str(index + 1), label, move, taken, 0))
        return Picture(columns, rows + 1, tuple(items))

    def known(self) -> Book:
        return Heaps(self.takes, solved(self.heap, self.mask))

    def theory(self, position: NimPosition) -> list[str]:
        heap = position.heaps()[0]
        values = solved(max(self.heap, PERIOD_WITHIN), self.mask).grundy
        return [
            f"Grundy value {values[heap]}: {'a win' if values[heap] else 'a loss'}",
            *describe_values(values, self.takes),
        ]


class Heaps(Book):
    """A book of all heaps of the subtraction game.

    :param takes: the numbers of stones that a move may take.
    :param table: the values of all heaps.
    """

    def __init__(self, takes: Sequence[int], table: HeapTable) -> None:
        self._takes, self._table = takes, table

    def moves(self, position: OwnPosition) -> list[BookMove]:
        heap = position.heaps()[0]
        moves = []
        for take in reversed([take for take in self._takes if take <= heap]):
            rest = heap - take
            plies = min(1 + self._table.plies(rest), MAX_PLIES)
            value = plies - WIN if self._table.grundy[rest] else WIN - plies
            moves.append(BookMove(take, value, plies - 1, exact=True, below=0))
        return sorted(moves, key=lambda move: -move.value)


@lru_cache(8)  # bounded: a web page may request many games
def solved(largest: int, mask: int) -> HeapTable:
    """Return the cached table of all heaps up to ``largest``."""
    return HeapTable(largest, mask)


def cycle(values: bytes | bytearray, most: int) -> tuple[int, int] | None:
    """Return the heap from which the values are periodic, and their period, or None if no period is found.

    Each value depends on the ``most`` previous values, so all values repeat once a sequence of that length recurs.
    """
    first_index: dict[bytes, int] = {}
    for heap in range(len(values) - most + 1):
        first = first_index.setdefault(bytes(values[heap : heap + most]), heap)
        if first < heap:
            return first, heap - first
    return None


def describe_values(values: bytes | bytearray, takes: Sequence[int]) -> list[str]:
    """Return lines that describe the period of the values and the losing heaps."""
    period_found = cycle(values, takes[-1])
    if period_found is None:
        return [f"no period among the values of the heaps up to {len(values) - 1:,}"]
    first, period = period_found
    residues = sorted(heap % period for heap in range(first, first + period) if not values[heap])
    since = f"; from {first} on" if first else ""
    losing = [f"a heap is lost if and only if heap mod {period} is {either(residues)}{since}"]
    if first:
        early = [str(heap) for heap in range(first) if not values[heap]]
        losing.append(f"below {first} these lose: {', '.join(early)}")
    return [f"the values repeat every {period} stones{since}", *losing]


def either(numbers: Sequence[int]) -> str:
    """Format numbers as ``1, 3 or 4``."""
    *others, last = map(str, numbers)
    return f"{', '.join(others)} or {last}" if others else last


def rows_of(stones: int) -> int:
    """Return the number of rows that ``stones`` stones fill in the picture."""
    return -(-stones // PICTURE_ROW)


def read_takes(text: str) -> tuple[int, ...] | None:
    """Parse the allowed moves, such as ``3`` (1 to 3) or ``1,3,4``.

    Return them in ascending order, or None if the text is invalid.
    """
    if not re.fullmatch(r"[0-9]{1,2}(,[0-9]{1,2})*", text):
        return None
    numbers = sorted(set(map(int, text.split(","))))
    if numbers[0] < 1 or numbers[-1] > MAX_TAKE:
        return None
    return tuple(numbers) if "," in text else tuple(range(1, numbers[0] + 1))


def make_game(parameters: str = "") -> Subtraction:
    """Return the game ``HEAP TAKES``, such as ``21 3`` or ``100 1,3,4``.

    :raises UnknownGameError: if the parameters are malformed or out of range.
    """
    if not parameters:
        return Subtraction()
    heap, _, takes = parameters.partition(" ")
    if re.fullmatch(r"0|[1-9][0-9]{0,5}", heap) and int(heap) <= MAX_HEAP and (found := read_takes(takes.strip())):
        return Subtraction(int(heap), found)
    raise UnknownGameError(
        f"game subtraction: must be a heap of 0 to {MAX_HEAP} and the maximum per move, 1 to {MAX_TAKE}, or all "
        f"allowed numbers, such as 'subtraction {DEFAULT_HEAP} {DEFAULT_TAKE}' or 'subtraction 100 1,3,4', "
        f"not {parameters!r}"
    )
