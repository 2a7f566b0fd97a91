"""Egaroucid's book format, ``.egbk3``.

A file starts with 14 bytes: ``DICUORAGE``, the format version 3 (one byte), and the number of positions (four bytes,
signed). A position has 25 bytes: the discs of the side to move and of the opponent (64-bit sets), the value in discs
from the side to move's point of view and the level (one byte each, signed), the number of lines (four bytes), and its
leaf, the best move to a position outside the book: value, square and level (one byte each, signed). Unknown values are
-126, unknown squares 125 and unknown levels -1. All numbers are little-endian.

Of the eight symmetric boards, the one with the smallest pair of numbers is stored, as in our books. Egaroucid counts
squares from h8 instead of a1, which rotates the board by 180 degrees; this is one of the symmetries. Moves are not
stored: a move is known if the file contains the position after it. Positions with a forced pass are not stored either.
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
    """Yield the positions in a file.

    :raises BookError: naming the position, if the file has a different format or version, or is truncated.
    """
    magic, version, count = unpack(file, HEADER, "header")
    if (magic, version) != (MAGIC, VERSION) or count < 0:
        raise BookError("header, at byte 0: expected an Egaroucid book, version 3")
    for number in range(1, count + 1):
        place = f"position {number:,} of {count:,}"
        at = file.tell()
        own, opp, value, level, _, leaf_value, leaf, _ = unpack(file, POSITION, place)
        moves = [(leaf, leaf_value)] if abs(leaf_value) <= MOST_DISCS and 0 <= leaf < PASS else []
        known = level if 0 <= level <= HIGHEST_LEVEL else 0  # 70 marks values entered by a person
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
    """Return the contents of a book's Egaroucid file, and the number of positions in the file."""
    parts = [HEADER.pack(MAGIC, VERSION, len(book.entries))]
    for (own, opp), entry in sorted(book.entries.items()):
        level = HIGHEST_LEVEL if entry.exact else min(max(entry.depth, 1), HIGHEST_LEVEL)
        lines = min(entry.below + 1, MOST_LINES)
        leaf = UNKNOWN_VALUE, UNKNOWN_MOVE, UNKNOWN_LEVEL
        parts.append(POSITION.pack(own, opp, discs_of(entry.value), level, lines, *leaf))
    losses["rounded: hundredths of a disc"] += sum(entry.value % 100 != 0 for entry in book.entries.values())
    return b"".join(parts), len(book.entries)
