"""Files of positions with their values, for training: written block by block, so that a killed run loses one at most.

A file begins with a header of 64 bytes: ``QMPOSIT`` and a zero byte, the format's version and the size of a record (two
bytes each), the CRC-32 of the bytes before and behind it in the header (four bytes), a 64-bit fingerprint of all that
the positions follow from, the number of blocks of the whole file (four bytes), and zeros. Blocks follow, nothing
behind the last. A block is its number, counted from 0, the number of its records, the CRC-32 of its records (four bytes
each), four zero bytes, and the records.

A record is 24 bytes: the squares of the side to move and of the other side (64-bit sets, a1 the lowest bit), the number
of its game (four bytes), the value that a search gave in hundredths of a disc (two bytes, signed, -32768 where there is
none), the final disc difference of the game (one byte, signed, -128 where it is not known), both from the side to move,
and a byte of flags: 1 if the value is exact. All numbers are little-endian.
"""

from __future__ import annotations

import contextlib
import os
import struct
import zlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
import numpy.typing as npt

from quietmove.engine.errors import TrainingError
from quietmove.engine.files import refuse_special

__all__ = [
    "EXACT",
    "NO_RESULT",
    "NO_VALUE",
    "RECORD",
    "Heading",
    "PositionFile",
    "Records",
    "as_records",
    "count_empties",
    "empties_of",
    "is_position_file",
    "read_positions",
    "whole_blocks",
]

MAGIC = b"QMPOSIT\0"
VERSION = 1
HEADER = struct.Struct("<8sHHIQI36x")
BLOCK = struct.Struct("<III4x")
NO_VALUE = -32768
NO_RESULT = -128
EXACT = 1
RECORD = np.dtype(
    [("own", "<u8"), ("opp", "<u8"), ("game", "<u4"), ("value", "<i2"), ("result", "i1"), ("flags", "u1")]
)
Records = npt.NDArray[np.void]  # of RECORD


@dataclass(frozen=True, slots=True)
class Heading:
    """What a header says.

    :param fingerprint: of all that the positions follow from.
    :param blocks: how many the whole file has.
    """

    fingerprint: int
    blocks: int

    def packed(self) -> bytes:
        """Return the header's bytes."""
        parts = [MAGIC, VERSION, RECORD.itemsize, 0, self.fingerprint, self.blocks]
        parts[3] = zlib.crc32(HEADER.pack(*parts))
        return HEADER.pack(*parts)


class PositionFile:
    """A file of positions that is being made; a context manager.

    :param path: begun if it does not exist; else its whole blocks are kept, and what follows them is dropped.
    :param heading: of the file; one with another heading is not continued.
    :ivar blocks: how many blocks are there.
    :ivar positions: how many positions they hold.
    :raises TrainingError: if the file cannot be written, is of another kind or version, or was made otherwise.
    """

    def __init__(self, path: Path, heading: Heading) -> None:
        self.path = path
        self.blocks = self.positions = 0
        if path.exists():
            require_regular(path)
        try:
            self._file: BinaryIO = path.open("r+b" if path.exists() else "w+b")
            try:
                self._continue(heading)
            except TrainingError:
                self._file.close()
                raise
        except OSError as error:
            raise TrainingError(f"positions: {path}: {error.strerror}") from None

    def _continue(self, heading: Heading) -> None:
        """Go behind the last whole block; begin where not even the header is there."""
        begun = self._file.read(HEADER.size)
        self._file.seek(0)
        if heading.packed().startswith(begun) and len(begun) < HEADER.size:
            self._file.write(heading.packed())
            self._file.flush()
            return
        if read_heading(self.path, self._file) != heading:
            raise TrainingError(
                f"positions: {self.path} was made with other parameters: remove it, or name another file"
            )
        end = HEADER.size
        for records in read_blocks(self.path, self._file, strict=False):
            self.blocks += 1
            self.positions += len(records)
            end += BLOCK.size + records.nbytes
        self._file.truncate(end)
        self._file.seek(end)

    def write(self, records: Records) -> None:
        """Append the next block, and wait until the disk has it.

        :raises TrainingError: if it cannot be written.
        """
        data = records.tobytes()
        try:
            self._file.write(BLOCK.pack(self.blocks, len(records), zlib.crc32(data)) + data)
            self._file.flush()
            os.fsync(self._file.fileno())
        except OSError as error:
            raise TrainingError(f"positions: {self.path}: {error.strerror}") from None
        self.blocks += 1
        self.positions += len(records)

    def __enter__(self) -> PositionFile:
        return self

    def __exit__(self, *details: object) -> None:
        with contextlib.suppress(OSError):  # what could not be written has been told
            self._file.close()


def require_regular(path: Path) -> None:
    """Check that a path names a regular file: a FIFO is read once, or waited for without end.

    :raises TrainingError: if it does not.
    """
    try:
        path.stat()
    except OSError as error:
        raise TrainingError(f"train: {path}: {error.strerror}") from None
    refuse_special(path, TrainingError, "train: ")


def read_heading(path: Path, file: BinaryIO) -> Heading:
    """Return what a file's header says.

    :raises TrainingError: if it is no file of positions, of another version, or its header is damaged.
    """
    head = file.read(HEADER.size)
    if head[: len(MAGIC)] != MAGIC:
        raise TrainingError(f"positions: {path} is no file of positions")
    if len(head) < HEADER.size:
        raise TrainingError(f"positions: {path} is cut short: its header has {HEADER.size} bytes; {len(head)} came")
    _, version, size, _, fingerprint, blocks = HEADER.unpack(head)
    if (version, size) != (VERSION, RECORD.itemsize):
        raise TrainingError(
            f"positions: {path}: version {VERSION} with records of {RECORD.itemsize} bytes is read; "
            f"version {version} with {size} came"
        )
    heading = Heading(fingerprint, blocks)
    if heading.packed() != head:
        raise TrainingError(f"positions: {path} is damaged: its header has a wrong checksum")
    return heading


def read_blocks(path: Path, file: BinaryIO, strict: bool) -> Iterator[Records]:
    """Yield the records of each block.

    :param strict: whether a block that is cut short or damaged is an error, or the end.
    """
    place, number = HEADER.size, 0
    while head := file.read(BLOCK.size):
        found, count, checksum = BLOCK.unpack(head.ljust(BLOCK.size, b"\0"))
        data = file.read(count * RECORD.itemsize)
        problem = ""
        if len(head) < BLOCK.size or len(data) < count * RECORD.itemsize:
            problem = "is cut short"
        elif found != number or zlib.crc32(data) != checksum:
            problem = "is damaged: a wrong number or checksum"
        if problem:
            if strict:
                raise TrainingError(f"positions: {path}: block {number}, at byte {place}, {problem}")
            return
        place += BLOCK.size + len(data)
        number += 1
        yield np.frombuffer(data, RECORD)


def is_position_file(path: Path) -> bool:
    """Tell whether a file begins as one of positions does; False where it cannot be read."""
    try:
        with path.open("rb") as file:
            return file.read(len(MAGIC)) == MAGIC
    except OSError:
        return False


def whole_blocks(path: Path, count: int) -> Iterator[Records]:
    """Yield the first blocks of a file that is being made and has so many.

    :raises TrainingError: as :func:`read_heading`.
    """
    with path.open("rb") as file:
        read_heading(path, file)
        yield from islice(read_blocks(path, file, strict=True), count)


def read_positions(path: Path) -> Records:
    """Return all records of a file.

    :raises TrainingError: if it cannot be read, is of another kind or version, not finished, damaged, or empty.
    """
    try:
        with path.open("rb") as file:
            heading = read_heading(path, file)
            blocks = list(read_blocks(path, file, strict=True))
    except OSError as error:
        raise TrainingError(f"positions: {path}: {error.strerror}") from None
    if len(blocks) != heading.blocks:
        raise TrainingError(
            f"positions: {path} is not finished: {heading.blocks} blocks are announced; {len(blocks)} came; "
            "the command that makes it goes on where it ended"
        )
    if not sum(map(len, blocks)):
        raise TrainingError(f"positions: {path} holds no position")
    return np.concatenate(blocks)


def empties_of(records: Records) -> npt.NDArray[np.int64]:
    """Return the number of empty squares of each position."""
    return count_empties(records["own"], records["opp"])


def count_empties(own: npt.NDArray[Any], opp: npt.NDArray[Any]) -> npt.NDArray[np.int64]:
    """Return the number of empty squares of each board."""
    taken: npt.NDArray[np.int64] = np.bitwise_count(own | opp).astype(np.int64)
    return 64 - taken


def as_records(rows: Iterable[tuple[int, int, int, int, int, int]]) -> Records:
    """Return rows of own, opp, game, value, result and flags as records."""
    return np.array(list(rows), RECORD)
