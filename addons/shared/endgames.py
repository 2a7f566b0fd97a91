"""Endgame puzzles: Othello positions with a single best move, solved exactly and rated by difficulty.

The difficulty is measured: it is the lowest level of :mod:`quietmove.engine.levels` that finds the best move with nine
of ten seeds, or that module's ``FULL_STRENGTH`` if no level does. ``quietmove train puzzles`` writes the file.

A file starts with a 16-byte header: ``QMENDS`` and two zero bytes, the format version and the number of records (two
bytes each), and the CRC-32 of the records (four bytes). The records follow, easiest first, 20 bytes each: Black's and
White's discs (64-bit sets, a1 is the lowest bit), the side to move (one byte, 0 for Black), the value in discs from
the side to move's point of view (one signed byte), the best move (one byte, a1 = 0 … h8 = 63), and the difficulty (one
byte). All numbers are little-endian.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from quietmove.engine.errors import TrainingError
from quietmove.engine.files import read_bytes
from quietmove.engine.games.othello.board import OthelloPosition

MAGIC = b"QMENDS\0\0"
VERSION = 1
HEADER = struct.Struct("<8sHHI")
RECORD = struct.Struct("<QQBbBB")


@dataclass(frozen=True, slots=True)
class Endgame:
    """An Othello position to practise, with its solution.

    :param black, white: the players' discs as 64-bit sets.
    :param side: 0 if Black moves, 1 if White moves.
    :param value: the exact value, in hundredths of a disc, from the side to move's point of view.
    :param move: the only best move.
    :param difficulty: the lowest level that finds the best move.
    """

    black: int
    white: int
    side: int
    value: int
    move: int
    difficulty: int

    @property
    def empties(self) -> int:
        """The number of empty squares."""
        return 64 - (self.black | self.white).bit_count()

    def position(self) -> OthelloPosition:
        return OthelloPosition(self.black, self.white, self.side)


def read_endgames(path: Path) -> tuple[Endgame, ...]:
    """Return the endgames in a file, easiest first.

    :raises TrainingError: if the file cannot be read, is not an endgame file, is damaged, or has a different version.
    """
    try:
        return tuple(unpack_endgames(read_bytes(path)))
    except OSError as error:
        raise TrainingError(f"endgames: {path}: {error.strerror}") from None
    except ValueError as error:
        raise TrainingError(f"endgames: {path} {error}") from None


def unpack_endgames(data: bytes) -> Iterator[Endgame]:
    """Yield the endgames in a file's contents.

    :raises ValueError: if this is not an endgame file, or it is damaged or has a different version.
    """
    if data[: len(MAGIC)] != MAGIC:
        raise ValueError("is not an endgames file")
    records = data[HEADER.size :]
    if data[: HEADER.size] != header_of(records):
        raise ValueError(f"is damaged, or its version is not {VERSION}")
    for black, white, side, value, move, difficulty in RECORD.iter_unpack(records):
        yield Endgame(black, white, side, 100 * value, move, difficulty)


def pack_endgames(found: Iterable[Endgame]) -> bytes:
    ordered = sorted(found, key=lambda each: (each.difficulty, each.empties, each.black, each.white))
    records = b"".join(
        RECORD.pack(each.black, each.white, each.side, each.value // 100, each.move, each.difficulty)
        for each in ordered
    )
    return header_of(records) + records


def header_of(records: bytes) -> bytes:
    return HEADER.pack(MAGIC, VERSION, len(records) // RECORD.size, zlib.crc32(records))
