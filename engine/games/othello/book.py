"""The opening book of Othello: its file format, and the lookup of positions.

A file begins with a header of 32 bytes: ``QMBOOK`` and two zero bytes, the format version and the size of a record
(two bytes each), the number of records (four bytes), the depth of the searches and the number of empty squares at which
they become exact (one byte each), two zero bytes, the CRC-32 of the records, the CRC-32 of the preceding header (four
bytes each), and four zero bytes. The records follow, up to the end of the file.

A record has 24 bytes and describes a position in which the side to move need not pass: the squares of the side to move
and of the opponent (64-bit sets, a1 in the lowest bit), the value in hundredths of a disc from the side to move's point
of view (two bytes, signed), the depth of its search (one byte), 1 if that reached the end of the game (one byte), and
the number of book positions reachable from it, or 0 if it was searched but not expanded (four bytes). Of the eight
images of a board, the one with the smallest pair of numbers is stored. Records are sorted by board. All numbers are
little-endian.

The file is memory-mapped, so that a book of ten million positions opens instantly: positions are found by bisection,
which reads only the pages it visits. The checksum of the records is verified immediately in files of at most
:data:`SMALL` positions, and in larger files only when the whole file is read. In larger books, ``below`` counts only
the positions after one move, not all positions reachable from the record's position.
"""

from __future__ import annotations

import mmap
import os
import struct
import zlib
from bisect import bisect_left
from collections.abc import Iterable, Iterator
from functools import lru_cache
from io import BytesIO
from typing import BinaryIO, NamedTuple

from quietmove.engine.errors import BookError
from quietmove.engine.files import open_regular
from quietmove.engine.games.base import Book, BookMove, Position
from quietmove.engine.games.othello.board import PASS
from quietmove.engine.games.othello.symmetry import Board, board_of

FILES_KEPT = 4  # number of recently used books that stay open
MAGIC = b"QMBOOK\0\0"
VERSION = 1
HEADER = struct.Struct("<8sHHIBBxxI")
HEADER_END = struct.Struct("<I4x")
RECORD = struct.Struct("<QQhBBI")
BOARD = struct.Struct("<QQ")
START = HEADER.size + HEADER_END.size
SMALL = (2_000_000 - START) // RECORD.size  # maximum number of positions in a small book: a file of two megabytes
MAX_VALUE = 6400
SHIPPED = os.path.join(os.path.dirname(__file__), "opening.book")


class Entry(NamedTuple):
    """A book entry for one position.

    :param own, opp: the canonical board.
    :param value: the value of its search or of its best line, in hundredths of a disc, as seen by the side to move.
    :param depth: depth of the search in plies, which is the number of empty squares if the search was exact.
    :param below: number of book positions reachable from it.
    """

    own: int
    opp: int
    value: int
    depth: int
    exact: bool
    below: int


class OthelloBook(Book):
    """The opening book in a file.

    :param path: the path of the file, which is memory-mapped on creation.
    :ivar depth: depth of the searches in plies.
    :ivar exact: maximum number of empty squares for exact searches.
    :raises BookError: if the file cannot be read, has a different format or version, or is damaged. Damage in a large
        file may be found later by any method; the error then names the byte.
    """

    def __init__(self, path: str) -> None:
        self.path = path
        self.depth, self.exact, self._checksum, self._data = map_book(path)
        self._count = (len(self._data) - START) // RECORD.size
        if self._count <= SMALL:
            self.check()

    def check(self) -> None:
        """Read the whole file and verify its checksum.

        :raises BookError: if the file is damaged.
        """
        if zlib.crc32(memoryview(self._data)[START:]) != self._checksum:
            raise damaged(self.path)

    def __len__(self) -> int:
        return self._count

    def entries(self) -> Iterator[Entry]:
        """Yield all entries, sorted by board."""
        return map(self._entry, range(self._count))

    def _entry(self, index: int) -> Entry:
        own, opp, value, depth, exact, below = RECORD.unpack_from(self._data, START + index * RECORD.size)
        if own & opp or abs(value) > MAX_VALUE or exact > 1:
            raise self._damage(index)
        return Entry(own, opp, value, depth, bool(exact), below)

    def _board(self, index: int) -> Board:
        own, opp = BOARD.unpack_from(self._data, START + index * RECORD.size)
        if own & opp:
            raise self._damage(index)
        return own, opp

    def _damage(self, index: int) -> BookError:
        return BookError(f"book: {self.path} is damaged: invalid position at byte {START + index * RECORD.size}")

    def find(self, position: Position) -> Entry | None:
        """Return the entry for a position or its symmetric image, or None if the position is not in the book."""
        board = board_of(position)
        index = bisect_left(range(self._count), board, key=self._board)
        return self._entry(index) if index < self._count and self._board(index) == board else None

    def moves(self, position: Position) -> list[BookMove]:
        entry = self.find(position)
        if entry is None or not entry.below:
            return []
        moves = []
        board = position.copy()
        for move in board.legal_moves():
            board.play(move)
            passed = board.legal_moves() == [PASS]
            if passed:
                board.play(PASS)
            if (child := self.find(board)) is not None:
                value = child.value if passed else -child.value
                known = BookMove(move, value, child.depth, child.exact, child.below)
                moves.append((-value, child.own, child.opp, move, known))
            board.undo()
            if passed:
                board.undo()
        return [each[-1] for each in sorted(moves)]


def map_book(path: str) -> tuple[int, int, int, mmap.mmap]:
    """Map a book into memory.

    The result is its search depth, the maximum number of empty squares for exact searches, the checksum of its records,
    and the data.

    :raises BookError: if the file cannot be read, has a different format or version, or its header or size is damaged.
    """
    try:
        with open_regular(path) as file:
            header = file.read(START)
            size = os.fstat(file.fileno()).st_size
            data = mmap.mmap(file.fileno(), size, access=mmap.ACCESS_READ) if header else None
    except OSError as error:
        raise BookError(f"book: {path}: {error.strerror}") from None
    if data is None or header[: len(MAGIC)] != MAGIC:
        raise BookError(f"book: {path} is not an opening book")
    try:
        _, version, record, count, depth, exact, checksum = HEADER.unpack_from(header)
        is_intact = header.endswith(HEADER_END.pack(zlib.crc32(header[: HEADER.size])))
    except struct.error:
        is_intact = False
    if not is_intact or (version, record, START + record * count) != (VERSION, RECORD.size, size):
        raise damaged(path)
    return depth, exact, checksum, data


def damaged(path: str) -> BookError:
    return BookError(f"book: {path} is damaged, or its version is not {VERSION}")


class BookWriter:
    """A writer for a book file, one record at a time.

    :param file: the output file, written from its beginning.
    :ivar count: number of records written so far.
    """

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._checksum = 0
        self.count = 0
        file.write(bytes(START))

    def add(self, entry: Entry) -> None:
        """Write the next record. Records must be added in the order of their boards."""
        record = RECORD.pack(*entry)
        self._checksum = zlib.crc32(record, self._checksum)
        self._file.write(record)
        self.count += 1

    def finish(self, depth: int, exact: int) -> None:
        """Write the header.

        :param depth: depth of the searches in plies.
        :param exact: maximum number of empty squares for exact searches.
        """
        header = HEADER.pack(MAGIC, VERSION, RECORD.size, self.count, depth, exact, self._checksum)
        self._file.seek(0)
        self._file.write(header + HEADER_END.pack(zlib.crc32(header)))


def pack_book(entries: Iterable[Entry], depth: int, exact: int) -> bytes:
    """Return the contents of a book file. For ``depth`` and ``exact``, see :meth:`BookWriter.finish`."""
    file = BytesIO()
    writer = BookWriter(file)
    for entry in sorted(entries):
        writer.add(entry)
    writer.finish(depth, exact)
    return file.getvalue()


@lru_cache(maxsize=FILES_KEPT)
def book_of(path: str) -> OthelloBook:
    """Return the book in a file. The most recently used books are cached.

    :raises BookError: if the file cannot be read or is invalid.
    """
    return OthelloBook(path)
