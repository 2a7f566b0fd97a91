"""Edax's book format, ``.dat``.

A file starts with 42 bytes: ``XADEKOOB``, the version 4 and the release (one byte each), the creation date (the year in
two bytes, then month, day, hour, minute, second and an unused byte), the level, the number of empty squares where the
book ends, the expected errors of midgame and endgame values, the verbosity, and the number of positions (four bytes
each, signed).

A position has 40 bytes: the discs of the side to move and of the opponent (64-bit sets, a1 is the lowest bit), the
games won, drawn and lost and the number of lines (four bytes each), the value in discs from the side to move's point of
view and its bounds (two bytes each, signed), the number of links and the level (one byte each). The links follow, then
the leaf, two bytes each: a value (signed) and a square from 0, 64 for a pass, 65 for no move. A link is a move to a
position in the book; the leaf is the best other move, with the value -127 if there is none. All numbers are
little-endian. Of the eight symmetric boards, the one with the smallest pair of numbers is stored, as in our books.

Edax follows each link without checking that its position exists, and looks up positions with a forced pass like any
others; the pass is their only link. A position with moves that are not links must have a leaf. On a symmetric board,
all symmetric moves are links.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import BinaryIO

from quietmove.addons.library.book.build import SIEVE_DEPTH, SIEVE_MEGABYTES, search
from quietmove.addons.library.book.foreign import (
    HIGHEST_LEVEL,
    MOST_DISCS,
    UNKNOWN_VALUES,
    Losses,
    Record,
    Step,
    Steps,
    WholeBook,
    discs_of,
    unpack,
)
from quietmove.engine.errors import BookError
from quietmove.engine.games.othello.board import PASS, OthelloPosition
from quietmove.engine.games.othello.book import Entry
from quietmove.engine.games.othello.symmetry import Board
from quietmove.engine.values import Limits

MAGIC = b"XADEKOOB"
VERSION, RELEASE = 4, 5
HEADER = struct.Struct("<8sBBHBBBBBxiiiiii")
POSITION = struct.Struct("<QQIIIIhhhBB")
MOVE = struct.Struct("<bB")
NO_MOVE = 65
NO_LEAF = (-127, NO_MOVE)
MIDGAME_ERROR, ENDGAME_ERROR = 2, 1  # Edax's default error margins for a new book, in discs
MOST_LINES = (1 << 32) - 1

Move = tuple[int, int]  # a move in the file: its value in discs and its square


def read(file: BinaryIO) -> Iterator[Record]:
    """Yield the positions in a file.

    :raises BookError: naming the position, if the file has a different format or version, or is truncated.
    """
    magic, version, *_, count = unpack(file, HEADER, "header")
    if (magic, version) != (MAGIC, VERSION) or count < 0:
        raise BookError("header, at byte 0: expected an Edax book, version 4")
    for number in range(1, count + 1):
        place = f"position {number:,} of {count:,}"
        at = file.tell()
        own, opp, *_, value, lower, upper, links, level = unpack(file, POSITION, place)
        if level > HIGHEST_LEVEL:
            raise BookError(f"{place}, at byte {at}: level: must be from 0 to {HIGHEST_LEVEL}, not {level}")
        moves = [unpack(file, MOVE, f"{place}: link") for _ in range(links)]
        leaf_value, leaf = unpack(file, MOVE, f"{place}: leaf")
        if leaf != NO_MOVE and abs(leaf_value) <= MOST_DISCS:
            moves.append((leaf_value, leaf))
        known = None if value in UNKNOWN_VALUES else value
        scored = [(move, score) for score, move in moves]
        yield Record(f"{place}, at byte {at}", own, opp, known, level, exact=lower == value == upper, moves=scored)


def write(book: WholeBook, losses: Losses) -> tuple[bytes, int]:
    """Return the contents of a book's Edax file, and the number of positions in the file.

    :raises BookError: if no position of the book has moves.
    """
    writer = Writer(book, losses)
    late_first = sorted(book.entries.values(), key=lambda entry: (-(entry.own | entry.opp).bit_count(), *entry[:2]))
    for entry in late_first:
        if entry.below:
            writer.add(entry)
    if not writer.records:
        raise BookError("an Edax book must contain positions with moves, but this book has none")
    losses["left out: positions without moves, except the best one after a position"] += sum(
        not entry.below and board not in writer.leaves for board, entry in book.entries.items()
    )
    losses["rounded: hundredths of a disc"] += sum(
        entry.value % 100 != 0 for entry in late_first if entry.below or entry[:2] in writer.leaves
    )
    return writer.packed(), len(writer.records)


class Writer:
    """Builds an Edax file. Positions must be added in reverse order of play.

    :ivar records: each position's bytes.
    :ivar leaves: the positions stored as the leaf of another position.
    """

    def __init__(self, book: WholeBook, losses: Losses) -> None:
        self._book = book
        self._losses = losses
        self._steps = Steps()
        self._level = min(max(book.searches.depth, 1), HIGHEST_LEVEL)
        self._lines: dict[Board, int] = {}
        self.records: dict[Board, bytes] = {}
        self.leaves: set[Board] = set()

    def add(self, entry: Entry) -> None:
        """Add a position that has moves, and the forced-pass positions that these moves lead to."""
        links: list[Move] = []
        others: list[Step] = []
        lines = 0
        for step in self._steps.of(entry.own, entry.opp):
            if step.board not in self._lines:
                others.append(step)
                continue
            links.append((discs_of(self._value(step)), step.move))
            lines += self._lines[step.board]
            if step.passed and step.reached not in self.records:
                self._losses["added: positions with a forced pass"] += 1
                self._add_record(step.reached, -links[-1][0], [(-links[-1][0], PASS)], NO_LEAF, self._lines[step.board])
        leaf = self._leaf(entry, others) if others else NO_LEAF
        board = entry.own, entry.opp
        self._lines[board] = min(lines + (leaf != NO_LEAF), MOST_LINES)
        self._add_record(board, discs_of(entry.value), links, leaf, self._lines[board], exact=entry.exact)

    def _value(self, step: Step) -> int:
        """Return the value of a step to a book position, in hundredths of a disc from the mover's point of view."""
        value = self._book.entries[step.board].value
        return value if step.passed else -value

    def _leaf(self, entry: Entry, others: Sequence[Step]) -> Move:
        """Return the best move that is not a link. If no such move leads to a book position, a search finds it."""
        known = [step for step in others if step.board in self._book.entries]
        if known:
            # Break ties in the same order as our books.
            best = min(known, key=lambda step: (-self._value(step), step.board, step.move))
            self.leaves.add(best.board)
            return discs_of(self._value(best)), best.move
        self._losses["searched: positions whose best other move is not in the book"] += 1
        limits = Limits(depth=SIEVE_DEPTH, searchmoves=tuple(step.move for step in others))
        found = search(OthelloPosition(entry.own, entry.opp, 0), limits, SIEVE_MEGABYTES)[0]
        # The book's best move is a link, so no other move can have a higher value.
        return discs_of(min(found.score.value, entry.value)), found.pv[0]

    def _add_record(
        self, board: Board, value: int, links: Sequence[Move], leaf: Move, lines: int, *, exact: bool = False
    ) -> None:
        bounds = (value, value) if exact else (-MOST_DISCS, MOST_DISCS)
        head = POSITION.pack(*board, 0, 0, 0, lines, value, *bounds, len(links), self._level)
        self.records[board] = head + b"".join(MOVE.pack(*move) for move in (*links, leaf))

    def packed(self) -> bytes:
        """Return the contents of the complete file."""
        now = datetime.now()
        date = now.year, now.month, now.day, now.hour, now.minute, now.second
        empties = MOST_DISCS - max((own | opp).bit_count() for own, opp in self.records)
        options = self._level, empties, MIDGAME_ERROR, ENDGAME_ERROR, 0
        header = HEADER.pack(MAGIC, VERSION, RELEASE, *date, *options, len(self.records))
        return header + b"".join(data for _, data in sorted(self.records.items()))
