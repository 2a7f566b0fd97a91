"""The positions of other programs' books as ours has them, each once for its eight images and behind a forced pass.

Other programs write positions and their moves; ours finds a move by the position after it. So a move whose position
stands nowhere becomes a position that was searched and not expanded. A position whose player must pass gives way to the
one after the pass, with its value turned. Moves that are images of each other on a symmetric board lead to one
position.
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
HIGHEST_LEVEL = 60  # both programs number their levels to it; the number is the plies of a search in the midgame
CENTRE = 0x1818000000
UNKNOWN_VALUES = (-126, -127)  # Egaroucid and Edax write these where they know no value
MOST_VALUE = 100 * MOST_DISCS
MOST_LOST = 800  # hundredths of a disc; Egaroucid takes no move of its book that loses more
TOO_MANY = f"it holds more than the {SMALL:,} positions that can be written so; --moves leaves out the later ones"
BOARD = struct.Struct(">QQ")  # packed boards sort as their pairs of numbers do
# A board keeps what is known best: a position of the file itself (`own` is 1) goes before one after a move, an exact
# value before a searched one, a deep one before a shallow one.
TABLE = """CREATE TABLE position (board BLOB PRIMARY KEY, own INTEGER, exact INTEGER, depth INTEGER, value INTEGER)
    WITHOUT ROWID"""
KEEP = """INSERT INTO position VALUES (?, ?, ?, ?, ?) ON CONFLICT (board) DO UPDATE
    SET own = excluded.own, exact = excluded.exact, depth = excluded.depth, value = excluded.value
    WHERE (excluded.own, excluded.exact, excluded.depth) > (own, exact, depth)"""
CACHE_KB = 256_000  # the positions of a book up to about three million stay in memory; the rest is in a file
LATE = "left out: positions after more moves"

Losses = Counter[str]  # each kind of loss has the number of positions that it happened to


class Record(NamedTuple):
    """A position as a file has it.

    :param place: where it stands in the file.
    :param own, opp: the board, any of its images.
    :param value: in discs, from the side to move; None where the file knows none.
    :param level: that its value was found at; 0 where that is not known.
    :param moves: squares of ``own`` and ``opp``, or a pass, each with its value in discs from the side to move.
    """

    place: str
    own: int
    opp: int
    value: int | None
    level: int
    exact: bool
    moves: Sequence[tuple[int, int]]


class Step(NamedTuple):
    """A move of a position.

    :param reached: the canonical board after it.
    :param board: the canonical board after it and a forced pass.
    :param passed: whether there was such a pass, so that the same player moves again.
    """

    move: int
    reached: Board
    board: Board
    passed: bool


@dataclass(frozen=True, slots=True)
class WholeBook:
    """A whole book in memory.

    :param searches: what a file of ours says of them in its header.
    """

    entries: Mapping[Board, Entry]
    searches: Searches


class Searches:
    """What a book's header says of its searches, from the entries that are added.

    :ivar depth: plies of the deepest search that was not exact.
    """

    def __init__(self) -> None:
        self.depth = 0
        self._most_exact, self._fewest_other = 0, MOST_DISCS  # empty squares

    def add(self, entry: Entry) -> None:
        """Take one more entry into account."""
        empties = MOST_DISCS - (entry.own | entry.opp).bit_count()
        if entry.exact:
            self._most_exact = max(self._most_exact, empties)
        else:
            self._fewest_other = min(self._fewest_other, empties)
            self.depth = max(self.depth, entry.depth)

    @property
    def exact(self) -> int:
        """From how many empty squares on all positions are exact; 0 if none is."""
        return min(self._most_exact, self._fewest_other - 1)


class Steps:
    """The moves of boards, all of them looked at on one position, which is costly to make."""

    def __init__(self) -> None:
        self.position = OthelloPosition(*START, 0)

    def set_up(self, own: int, opp: int) -> list[int]:
        """Set up a board and return the legal moves of ``own``."""
        self.position.set_up(own, opp, 0)
        return self.position.legal_moves()

    def of(self, own: int, opp: int) -> list[Step]:
        """Return the moves of a board; none where ``own`` must pass."""
        return [self.after(move) for move in self.set_up(own, opp) if move != PASS]

    def after(self, move: int) -> Step:
        """Return where a legal move of the board that is set up leads to."""
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
        """Return the value of a board in hundredths of a disc where the game is over there, else None."""
        return None if self.set_up(*board) else self.position.result()


class Collection:
    """The positions of a file, which are added one after another.

    They are in a temporary file of SQLite: those of the file and those that its moves lead to.

    :param moves: positions after more moves than so many are left out.
    :ivar searches: what the header of the book says, when all of :meth:`entries` has been read.
    """

    def __init__(self, moves: int, losses: Losses) -> None:
        self.most_discs = moves + FIRST_DISCS
        self.losses = losses
        self.searches = Searches()
        self._steps = Steps()
        self._file = sqlite3.connect("", isolation_level=None)
        self._file.execute(f"PRAGMA cache_size = -{CACHE_KB}")
        self._file.execute(TABLE)
        self._file.execute("BEGIN")  # nothing is ever committed: the file is gone at the end

    def add(self, record: Record) -> None:
        """Add a position and what its moves lead to.

        :raises BookError: naming the place, if it is no position of the game, or a move is not legal.
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
            self.losses["merged: positions that stand there more than once"] += 1
        self.keep(board, 100 * record.value, record.level, exact=record.exact, own=True)

    def add_passed(self, record: Record) -> None:
        """Add the position behind a forced pass; where it stands in the file too, what that says of it holds."""
        self.losses["merged: positions whose player must pass, with those after the pass"] += 1
        known = [record.value] if record.value is not None else [value for _, value in record.moves]
        for value in known:
            board = canonical_board(record.opp, record.own)
            self.keep(board, -100 * value, record.level, exact=record.exact)

    def add_followers(self, record: Record) -> None:
        """Add the positions after the moves of a record, which is set up."""
        exact = record.exact and len(record.moves) == 1
        for step, value in [(self._steps.after(move), value) for move, value in record.moves]:
            level = max(record.level - 1, 0)
            self.keep(step.board, 100 * (value if step.passed else -value), level, exact=exact)

    def keep(self, board: Board, value: int, level: int, *, exact: bool, own: bool = False) -> None:
        """Keep what is found of a board, unless what is known comes of a search that was as deep.

        :param own: whether the board itself stands in the file.
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
        """Return the book of what was added; a position has moves where the best of them is nearly worth its value.

        :raises BookError: if it is empty or too large.
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
        """Yield what :meth:`book` has, position by position in their order, for a book of any size.

        ``below`` counts the positions after one move alone.
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
        """Yield each board, whether it stands in the file, and what is known of it."""
        rows = self._file.execute("SELECT board, own, value, depth, exact FROM position ORDER BY board")
        for board, own, value, depth, exact in rows:
            yield BOARD.unpack(board), bool(own), SearchedValue(value, depth, bool(exact))

    def _value(self, board: Board) -> int | None:
        row = self._file.execute("SELECT value FROM position WHERE board = ?", (BOARD.pack(*board),)).fetchone()
        return None if row is None else int(row[0])


def book_from(
    positions: Mapping[Board, SearchedValue], expanded: Iterable[Board], most_lost: int = 2 * MOST_VALUE
) -> WholeBook:
    """Return the book of positions.

    :param expanded: those that have moves, as far as the positions after them are there.
    :param most_lost: hundredths of a disc; a position has no moves where the best of them is worth less by more.
    :raises BookError: if they are none, or too many.
    """
    if not positions:
        raise BookError("it holds no position that is carried over")
    if len(positions) > SMALL:
        raise BookError(TOO_MANY)
    steps = Steps()
    followers: dict[Board, list[tuple[Board, bool]]] = {}
    for board in expanded:
        known = [step for step in steps.of(*board) if step.board in positions]
        best = max((positions[step.board].value * (1 if step.passed else -1) for step in known), default=0)
        if best >= positions[board].value - most_lost:
            followers[board] = sorted({(step.board, step.passed) for step in known})  # images of a move lead to one
    graph = Graph()
    late_first = sorted(
        positions, key=lambda board: -(board[0] | board[1]).bit_count()
    )  # a graph that begins with them has shorter sets
    graph.add(Batch(followers, {board: positions[board] for board in late_first}))
    entries = {(each.own, each.opp): each for each in graph.entries() if (each.own, each.opp) in positions}
    searches = Searches()
    for each in entries.values():
        searches.add(each)
    return WholeBook(entries, searches)


def check_board(record: Record) -> None:
    """Check that a record has a board of the game.

    :raises BookError: naming its place, if it has not.
    """
    if record.own & record.opp:
        square = format_square((record.own & record.opp).bit_length() - 1)
        raise BookError(f"{record.place}: board: {square} has discs of both sides")
    if (record.own | record.opp) & CENTRE != CENTRE:
        raise BookError(f"{record.place}: board: the four squares of the centre must have discs")


def discs_of(value: int) -> int:
    """Return hundredths of a disc as whole discs; a half goes to the even number, so that both sides agree."""
    return round(value / 100)


def unpack(file: BinaryIO, layout: struct.Struct, what: str) -> tuple[Any, ...]:
    """Read numbers of a file.

    :param what: that they belong to.
    :raises BookError: naming the byte, if the file ends before.
    """
    at = file.tell()
    data = file.read(layout.size)
    if len(data) < layout.size:
        raise BookError(f"{what}, at byte {at}: must be {layout.size} bytes, and the file ends after {len(data)}")
    return layout.unpack(data)
