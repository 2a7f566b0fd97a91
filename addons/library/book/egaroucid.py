"""The book of Egaroucid, ``.egbk3``.

A file begins with 14 bytes: ``DICUORAGE``, the format's version 3 (one byte), and the number of positions (four bytes,
signed). A position has 25 bytes: the discs of the side to move and of the other side (64-bit sets), the value in discs
from the side to move and the level (one byte each, signed), the lines that go on from it (four bytes), and its leaf,
the best move whose position is not in the book: value, square and level (one byte each, signed). The value is -126, the
square 125 and the level -1 where they are not known. All numbers are little-endian.

Of the eight images of a board the least pair of numbers stands there, as in our books. Egaroucid counts the squares
from h8 on and we from a1 on; the board is turned half round by that, which is one of the images. Moves do not stand in
the file: a move is known where the position after it is. Positions whose player must pass do not stand there either.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from typing import BinaryIO

from quietmove.addons.library.book.foreign import (
    HIGHEST_LEVEL,
    MOST_DISCS,
    UNKNOWN_VALUES,
    Losses,
    Record,
    WholeBook,
    discs_of,
    unpack,
)
from quietmove.engine.errors import BookError
from quietmove.engine.games.othello.board import PASS

MAGIC = b"DICUORAGE"
VERSION = 3
HEADER = struct.Struct("<9sBi")
POSITION = struct.Struct("<QQbbIbbb")
UNKNOWN_VALUE, UNKNOWN_MOVE, UNKNOWN_LEVEL = -126, 125, -1
MOST_LINES = 4_000_000_000


def read(file: BinaryIO) -> Iterator[Record]:
    """Yield the positions of a file.

    :raises BookError: naming the place, if it is of another kind or version, or is cut off.
    """
    magic, version, count = unpack(file, HEADER, "header")
    if (magic, version) != (MAGIC, VERSION) or count < 0:
        raise BookError("header, at byte 0: must be that of a book of Egaroucid, version 3")
    for number in range(1, count + 1):
        place = f"position {number:,} of {count:,}"
        at = file.tell()
        own, opp, value, level, _, leaf_value, leaf, _ = unpack(file, POSITION, place)
        moves = [(leaf, leaf_value)] if abs(leaf_value) <= MOST_DISCS and 0 <= leaf < PASS else []
        known = level if 0 <= level <= HIGHEST_LEVEL else 0  # 70 is the level of values that a person gave
        yield Record(
            f"{place}, at byte {at}",
            own,
            opp,
            None if value in UNKNOWN_VALUES else value,
            known,
            exact=False,
            moves=moves,
        )


def write(book: WholeBook, losses: Losses) -> tuple[bytes, int]:
    """Return the bytes of a file, and how many positions it holds."""
    parts = [HEADER.pack(MAGIC, VERSION, len(book.entries))]
    for (own, opp), entry in sorted(book.entries.items()):
        level = HIGHEST_LEVEL if entry.exact else min(max(entry.depth, 1), HIGHEST_LEVEL)
        lines = min(entry.below + 1, MOST_LINES)
        leaf = UNKNOWN_VALUE, UNKNOWN_MOVE, UNKNOWN_LEVEL
        parts.append(POSITION.pack(own, opp, discs_of(entry.value), level, lines, *leaf))
    losses["not kept: hundredths of a disc"] += sum(entry.value % 100 != 0 for entry in book.entries.values())
    return b"".join(parts), len(book.entries)
