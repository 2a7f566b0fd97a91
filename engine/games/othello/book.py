"""The opening book of Othello: its file, and the moves that it knows in a position.

A file begins with a header of 32 bytes: ``QMBOOK`` and two zero bytes, the format's version and the size of a record
(two bytes each), the number of records (four bytes), the depth of the searches and the empty squares from which on
they were exact (one byte each), two zero bytes, the CRC-32 of the records, that of the header before it (four bytes
each), and four zero bytes. The records follow, and nothing after them.

A record is a position that the player to move need not pass, 24 bytes: the squares of the side to move and of the
other side (64-bit sets, a1 the lowest bit), the value in hundredths of a disc from the side to move (two bytes,
signed), the depth of its search (one byte), 1 if that reached the end of the game (one byte), and how many positions of
the book can come from it, 0 for one that was searched and not expanded (four bytes). Of the eight images of a board
the least pair of numbers is stored. Records are sorted by their boards. All numbers are little-endian.
"""

from __future__ import annotations

import os
import struct
import zlib
from bisect import bisect_left
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import NamedTuple

from quietmove.engine.errors import BookError
from quietmove.engine.files import open_regular
from quietmove.engine.games.base import Book, BookMove, Position
from quietmove.engine.games.othello.board import PASS
from quietmove.engine.games.othello.symmetry import Board, board_of

__all__ = ["LARGEST", "SHIPPED", "Entry", "OthelloBook", "book_of", "pack_book"]

FILES_KEPT = 4  # the books read last stay in memory; one takes up to 2 MB
MAGIC = b"QMBOOK\0\0"
VERSION = 1
HEADER = struct.Struct("<8sHHIBBxxI")
HEADER_END = struct.Struct("<I4x")
RECORD = struct.Struct("<QQhBBI")
BOARD = struct.Struct("<QQ")
START = HEADER.size + HEADER_END.size
LARGEST = (2_000_000 - START) // RECORD.size  # a file of two megabytes holds so many positions
SHIPPED = os.path.join(os.path.dirname(__file__), "opening.book")


class Entry(NamedTuple):
    """What the book holds of a position.

    :param own, opp: the canonical board.
    :param value: in hundredths of a disc, from the side to move: that of its search, or of the best line from it on.
    :param depth: plies of its search; the empty squares if that was exact.
    :param below: how many positions of the book can come from it.
    """

    own: int
    opp: int
    value: int
    depth: int
    exact: bool
    below: int


class OthelloBook(Book):
    """The positions of one file.

    :param path: of the file, which is read now.
    :ivar depth, exact: plies of the searches, and the empty squares from which on they were exact.
    :raises BookError: if it cannot be read, is of another kind or version, or is damaged.
    """

    def __init__(self, path: str) -> None:
        self.path = path
        self.depth, self.exact, self._data = read_book(path)
        self._count = len(self._data) // RECORD.size

    def __len__(self) -> int:
        return self._count

    def entries(self) -> Iterator[Entry]:
        """Yield all entries, sorted by their boards."""
        return map(self._entry, range(self._count))

    def _entry(self, index: int) -> Entry:
        own, opp, value, depth, exact, below = RECORD.unpack_from(self._data, index * RECORD.size)
        return Entry(own, opp, value, depth, bool(exact), below)

    def _board(self, index: int) -> Board:
        own, opp = BOARD.unpack_from(self._data, index * RECORD.size)
        return own, opp

    def find(self, position: Position) -> Entry | None:
        """Return what the book holds of a position, in any of its images; None if it is not there."""
        board = board_of(position)
        index = bisect_left(range(self._count), board, key=self._board)
        return self._entry(index) if index < self._count and self._board(index) == board else None

    def moves(self, position: Position) -> list[BookMove]:
        """Return the moves that the book knows, best first; moves of one value in an order that no symmetry changes."""
        entry = self.find(position)
        if entry is None or not entry.below:
            return []
        found = []
        board = position.copy()
        for move in board.legal_moves():
            board.play(move)
            passed = board.legal_moves() == [PASS]
            if passed:
                board.play(PASS)
            if (child := self.find(board)) is not None:
                value = child.value if passed else -child.value
                known = BookMove(move, value, child.depth, child.exact, child.below)
                found.append((-value, child.own, child.opp, move, known))
            board.undo()
            if passed:
                board.undo()
        return [each[-1] for each in sorted(found)]


def read_book(path: str) -> tuple[int, int, bytes]:
    """Return depth and empty squares of the searches of a file, and its records.

    :raises BookError: if it cannot be read, is of another kind or version, or is damaged.
    """
    try:
        with open_regular(path) as file:
            data = file.read(START + LARGEST * RECORD.size + 1)
    except OSError as error:
        raise BookError(f"book: {path}: {error.strerror}") from None
    if data[: len(MAGIC)] != MAGIC:
        raise BookError(f"book: {path} is no opening book")
    header, records = data[:START], data[START:]
    try:
        _, version, size, count, depth, exact, checksum = HEADER.unpack_from(header)
        whole = header.endswith(HEADER_END.pack(zlib.crc32(header[: HEADER.size])))
    except struct.error:
        whole = False
    if not whole or (version, size * count, checksum) != (VERSION, len(records), zlib.crc32(records)):
        raise BookError(f"book: {path} is damaged, or of another version than {VERSION}")
    return depth, exact, records


def pack_book(entries: Iterable[Entry], depth: int, exact: int) -> bytes:
    """Return the bytes of a file.

    :param depth, exact: plies of the searches, and the empty squares from which on they were exact.
    """
    records = b"".join(RECORD.pack(*entry) for entry in sorted(entries))
    count = len(records) // RECORD.size
    header = HEADER.pack(MAGIC, VERSION, RECORD.size, count, depth, exact, zlib.crc32(records))
    return header + HEADER_END.pack(zlib.crc32(header)) + records


@lru_cache(maxsize=FILES_KEPT)
def book_of(path: str) -> OthelloBook:
    """Return the book of a file, read now, or kept from one of the last times.

    :raises BookError: if it cannot be read, or is not what it must be.
    """
    return OthelloBook(path)
