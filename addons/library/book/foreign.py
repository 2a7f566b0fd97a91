"""Converts other programs' books to our form: one position per set of symmetric boards, without forced passes.

Other programs store positions and their moves; our books find a move by the position after it. If that position is not
in the file, it is added as searched but not expanded. A position with a forced pass is replaced by the one after the
pass, with its value negated. Symmetric moves on a symmetric board lead to one position.
"""

from __future__ import annotations

import sqlite3
import struct
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, BinaryIO, NamedTuple

from quietmove.addons.library.book.graph import START, Batch, Graph, SearchedValue
from quietmove.engine.errors import BookError
from quietmove.engine.games.othello.board import PASS, OthelloPosition
from quietmove.engine.games.othello.book import SMALL, Entry
from quietmove.engine.games.othello.notation import format_square
from quietmove.engine.games.othello.symmetry import Board, board_of, canonical_board

FIRST_DISCS = 4
MOST_DISCS = 64
HIGHEST_LEVEL = 60  # both programs' highest level; a level is the midgame search depth in plies
CENTRE = 0x1818000000
UNKNOWN_VALUES = (-126, -127)  # Egaroucid's and Edax's values for "unknown"
MOST_VALUE = 100 * MOST_DISCS
MOST_LOST = 800  # hundredths of a disc; Egaroucid plays no book move that loses more
TOO_MANY = f"it has more than {SMALL:,} positions, the limit of this format; use --moves to convert fewer"
BOARD = struct.Struct(">QQ")  # packed boards sort like their pairs of numbers
# Only the best known value of a board is stored: positions in the file itself (`own` is 1) take precedence over
# positions after a move, exact values over searched ones, and deep searches over shallow ones.
TABLE = """CREATE TABLE position (board BLOB PRIMARY KEY, own INTEGER, exact INTEGER, depth INTEGER, value INTEGER)
    WITHOUT ROWID"""
KEEP = """INSERT INTO position VALUES (?, ?, ?, ?, ?) ON CONFLICT (board) DO UPDATE
    SET own = excluded.own, exact = excluded.exact, depth = excluded.depth, value = excluded.value
    WHERE (excluded.own, excluded.exact, excluded.depth) > (own, exact, depth)"""
CACHE_KB = 256_000  # about three million positions fit in memory; the rest goes to a file
LATE = "left out: positions after more moves"

Losses = Counter[str]  # number of positions affected by each kind of loss


class Record(NamedTuple):
    """A position in another program's file.

    :param place: the position's location in the file.
    :param own, opp: the board, as any of its symmetric images.
    :param value: the value in discs from the side to move's point of view, or None if unknown.
    :param level: the level of the search, or 0 if unknown.
    :param moves: the moves (squares of this image, or a pass), each with its value in discs for the side to move.
    """

    place: str
    own: int
    opp: int
    value: int | None
    level: int
    exact: bool
    moves: Sequence[tuple[int, int]]


class Step(NamedTuple):
    """A move in a position.

    :param reached: the canonical board after the move.
    :param board: the canonical board after the move and any forced pass.
    :param passed: whether the opponent must pass, so that the same player moves again.
    """

    move: int
    reached: Board
    board: Board
    passed: bool


@dataclass(frozen=True, slots=True)
class WholeBook:
    """A complete book in memory.

    :param searches: the search data for the header of a Quietmove book.
    """

    entries: Mapping[Board, Entry]
    searches: Searches


class Searches:
    """A book header's search data, computed from the entries.

    :ivar depth: depth of the deepest inexact search, in plies.
    """

    def __init__(self) -> None:
        self.depth = 0
        self._most_exact, self._fewest_other = 0, MOST_DISCS  # in empty squares

    def add(self, entry: Entry) -> None:
        """Take an entry into account."""
        empties = MOST_DISCS - (entry.own | entry.opp).bit_count()
        if entry.exact:
            self._most_exact = max(self._most_exact, empties)
        else:
            self._fewest_other = min(self._fewest_other, empties)
            self.depth = max(self.depth, entry.depth)

    @property
    def exact(self) -> int:
        """Positions with at most this many empty squares are all exact; 0 means none are."""
        return min(self._most_exact, self._fewest_other - 1)


class Steps:
    """Computes the moves of boards. It reuses one position object, because creating one is expensive."""

    def __init__(self) -> None:
        self.position = OthelloPosition(*START, 0)

    def set_up(self, own: int, opp: int) -> list[int]:
        """Set up a board and return the legal moves of ``own``."""
        self.position.set_up(own, opp, 0)
        return self.position.legal_moves()

    def of(self, own: int, opp: int) -> list[Step]:
        """Return a board's moves, or an empty list if ``own`` must pass."""
        return [self.after(move) for move in self.set_up(own, opp) if move != PASS]

    def after(self, move: int) -> Step:
        """Return the result of a legal move on the current board."""
        position = self.position
        position.play(move)
        reached = board = board_of(position)
        passed = position.legal_moves() == [PASS]
        if passed:
            position.play(PASS)
            board = board_of(position)
            position.undo()
        position.undo()
        return Step(move, reached, board, passed)

    def final_value(self, board: Board) -> int | None:
        """Return a board's value in hundredths of a disc if the game is over, else None."""
        return None if self.set_up(*board) else self.position.result()


class Collection:
    """Collects the positions in a file, and the positions after their moves, in a temporary SQLite file.

    :param moves: positions after more moves are left out.
    :ivar searches: the search data for the header, which is complete once :meth:`entries` is exhausted.
    """

    def __init__(self, moves: int, losses: Losses) -> None:
        self.most_discs = moves + FIRST_DISCS
        self.losses = losses
        self.searches = Searches()
        self._steps = Steps()
        self._file = sqlite3.connect("", isolation_level=None)
        self._file.execute(f"PRAGMA cache_size = -{CACHE_KB}")
        self._file.execute(TABLE)
        self._file.execute("BEGIN")  # nothing is committed: the file is temporary

    def add(self, record: Record) -> None:
        """Add a position and the positions after its moves.

        :raises BookError: naming the location, if the position is invalid or a move is illegal.
        """
        check_board(record)
        if record.value is not None and abs(record.value) > MOST_DISCS:
            raise BookError(f"{record.place}: value: must be from -64 to 64 discs, not {record.value}")
        discs = (record.own | record.opp).bit_count()
        if discs > self.most_discs:
            self.losses[LATE] += 1
            return
        legal = self._steps.set_up(record.own, record.opp)
        for move, _ in record.moves:
            if move not in legal:
                name = format_square(move) if move <= PASS else f"number {move}"
                raise BookError(f"{record.place}: move {name} is not legal")
        if legal == [PASS]:
            self.add_passed(record)
            return
        if discs < self.most_discs:
            self.add_followers(record)
        if record.value is None:
            self.losses["left out: positions without a value"] += 1
            return
        board = canonical_board(record.own, record.opp)
        known = self._file.execute("SELECT own FROM position WHERE board = ?", (BOARD.pack(*board),)).fetchone()
        if known == (1,):
            self.losses["merged: duplicate positions"] += 1
        self.keep(board, 100 * record.value, record.level, exact=record.exact, own=True)

    def add_passed(self, record: Record) -> None:
        """Add the position after a forced pass, unless the file itself contains it."""
        self.losses["merged: positions with a forced pass and the positions after the pass"] += 1
        known = [record.value] if record.value is not None else [value for _, value in record.moves]
        for value in known:
            board = canonical_board(record.opp, record.own)
            self.keep(board, -100 * value, record.level, exact=record.exact)

    def add_followers(self, record: Record) -> None:
        """Add the positions after a record's moves. The record's board must be set up."""
        exact = record.exact and len(record.moves) == 1
        for step, value in [(self._steps.after(move), value) for move, value in record.moves]:
            level = max(record.level - 1, 0)
            self.keep(step.board, 100 * (value if step.passed else -value), level, exact=exact)

    def keep(self, board: Board, value: int, level: int, *, exact: bool, own: bool = False) -> None:
        """Store a board's value, unless an equally good or better value is already stored.

        :param own: whether the board itself is in the file.
        """
        final = self._steps.final_value(board)
        empties = MOST_DISCS - (board[0] | board[1]).bit_count()
        if final is not None:
            value, exact = final, True
        depth = empties if exact else min(level, empties)
        self._file.execute(KEEP, (BOARD.pack(*board), own, exact, depth, value))

    def __len__(self) -> int:
        return int(self._file.execute("SELECT count(*) FROM position").fetchone()[0])

    def book(self) -> WholeBook:
        """Return the book. A position gets moves only if the best of them loses at most :data:`MOST_LOST`.

        :raises BookError: if the book is empty or too large.
        """
        if len(self) > SMALL:
            raise BookError(TOO_MANY)
        positions = dict[Board, SearchedValue]()
        records = list[Board]()
        for board, own, value in self._positions():
            positions[board] = value
            records += [board] * own
        return book_from(positions, records, MOST_LOST)

    def entries(self) -> Iterator[Entry]:
        """Yield the entries of :meth:`book` in order, one at a time, for books of any size.

        ``below`` counts only positions after one move.
        """
        for (own, opp), has_moves, found in self._positions():
            after = {step.board: step for step in self._steps.of(own, opp)} if has_moves else {}
            values = {board: self._value(board) for board in after}
            known = [value if after[board].passed else -value for board, value in values.items() if value is not None]
            is_good = max(known, default=0) >= found.value - MOST_LOST
            entry = Entry(own, opp, found.value, found.depth, found.exact, len(known) if is_good else 0)
            self.searches.add(entry)
            yield entry

    def _positions(self) -> Iterator[tuple[Board, bool, SearchedValue]]:
        """Yield each board, whether it is in the file, and its best known value."""
        rows = self._file.execute("SELECT board, own, value, depth, exact FROM position ORDER BY board")
        for board, own, value, depth, exact in rows:
            yield BOARD.unpack(board), bool(own), SearchedValue(value, depth, bool(exact))

    def _value(self, board: Board) -> int | None:
        row = self._file.execute("SELECT value FROM position WHERE board = ?", (BOARD.pack(*board),)).fetchone()
        return None if row is None else int(row[0])


def book_from(
    positions: Mapping[Board, SearchedValue], expanded: Iterable[Board], most_lost: int = 2 * MOST_VALUE
) -> WholeBook:
    """Build a book from positions.

    :param expanded: the boards that get moves; only moves to ``positions`` are included.
    :param most_lost: a position gets no moves if the best of them loses more than this, in hundredths of a disc.
    :raises BookError: if there are no positions, or too many.
    """
    if not positions:
        raise BookError("it contains no usable positions")
    if len(positions) > SMALL:
        raise BookError(TOO_MANY)
    steps = Steps()
    followers: dict[Board, list[tuple[Board, bool]]] = {}
    for board in expanded:
        known = [step for step in steps.of(*board) if step.board in positions]
        best = max((positions[step.board].value * (1 if step.passed else -1) for step in known), default=0)
        if best >= positions[board].value - most_lost:
            # A set, because symmetric moves lead to the same board.
            followers[board] = sorted({(step.board, step.passed) for step in known})
    graph = Graph()
    # Adding late positions first keeps the graph's bit sets short.
    late_first = sorted(positions, key=lambda board: -(board[0] | board[1]).bit_count())
    graph.add(Batch(followers, {board: positions[board] for board in late_first}))
    entries = {(each.own, each.opp): each for each in graph.entries() if (each.own, each.opp) in positions}
    searches = Searches()
    for each in entries.values():
        searches.add(each)
    return WholeBook(entries, searches)


def check_board(record: Record) -> None:
    """Check that no square of a record's board has two discs, and that its centre squares are occupied.

    :raises BookError: naming the record's location, if the board is invalid.
    """
    if record.own & record.opp:
        square = format_square((record.own & record.opp).bit_length() - 1)
        raise BookError(f"{record.place}: board: {square} has discs of both colours")
    if (record.own | record.opp) & CENTRE != CENTRE:
        raise BookError(f"{record.place}: board: the four centre squares must be occupied")


def discs_of(value: int) -> int:
    """Round hundredths of a disc to discs. Halves are rounded to even, so that both sides' values stay opposite."""
    return round(value / 100)


def unpack(file: BinaryIO, layout: struct.Struct, what: str) -> tuple[Any, ...]:
    """Read a packed structure from a file.

    :param what: the structure's name in error messages.
    :raises BookError: naming the byte, if the file ends too early.
    """
    at = file.tell()
    data = file.read(layout.size)
    if len(data) < layout.size:
        raise BookError(f"{what}, at byte {at}: expected {layout.size} bytes, but the file ends after {len(data)}")
    return layout.unpack(data)
