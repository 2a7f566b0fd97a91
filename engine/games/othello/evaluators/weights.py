"""The weights of the learnt evaluation: their file format and memory layout.

A weight is a 16-bit integer in units of 1/128 disc. A phase is four plies long: phase 0 has at least 57 empty squares,
phase 14 at most 4. A phase has a weight for each index of each pattern, for each pair of mobilities, for each pair of
potential mobilities and for each number of empty squares, in this order.

A file begins with a header of 32 bytes: ``QMWEIGHT``, the format version and the number of phases (two bytes each), a
CRC-32 of the layout (:func:`layout`), the number of weights stored per phase, the CRC-32 of the following table (four
bytes each), and eight zero bytes. The table contains the length and the CRC-32 of each phase's block, four bytes each.
The blocks follow, up to the end of the file. A block is compressed by zlib: the low bytes of its weights, then their
high bytes. Weights that are equal by symmetry of the board are stored once (:func:`fold_table`). All numbers are
little-endian.
"""

from __future__ import annotations

import os
import struct
import zlib
from collections.abc import Sequence
from functools import cache
from itertools import accumulate

import cython
from cython.cimports.quietmove.engine.games.othello.evaluators.weights import MOBILITY, PHASES, POTENTIAL

from quietmove.engine.errors import WeightsError
from quietmove.engine.games.othello.evaluators import patterns
from quietmove.engine.games.othello.evaluators.patterns import LEARNT, PatternSet
from quietmove.engine.games.othello.evaluators.weights_file import MAGICS, WeightsFile, contents_of
from quietmove.engine.memory import fresh_memory

__all__ = [
    "MOBILITY",
    "PHASES",
    "PHASE_SIZE",
    "POTENTIAL",
    "Weights",
    "fold_table",
    "free_weights",
    "pack_weights",
    "phase_of",
    "shipped_weights",
]

TABLE_SIZE = LEARNT.size
PHASE_SIZE = TABLE_SIZE + MOBILITY * MOBILITY + POTENTIAL * POTENTIAL + 61
VERSION = 1
COMPRESSION = 6  # zlib level; the maximum, 9, takes seventeen times as long to save 4 %
HEADER = struct.Struct("<8sHHIII8x")
ENTRY = struct.Struct("<II")
SHIPPED = os.path.join(os.path.dirname(patterns.__file__), "learnt.weights")  # this module may be in folder v3


def phase_of(empties: cython.int) -> cython.int:
    """Return the phase for a number of empty squares."""
    return min(PHASES - 1, max(0, 60 - empties) // 4)


class Weights(WeightsFile):
    """The weights in a file; each phase is decompressed when its first position is evaluated.

    :param path: the path of the file, which is read once, on first use.
    :ivar values: the weights phase by phase, :data:`PHASE_SIZE` each. A phase's weights are valid once it is ``ready``.
    """

    ready: list[bool]

    def __init__(self, path: str) -> None:
        WeightsFile.__init__(self, path, PHASES)
        self.blocks: list[bytes] = []
        self.buffer = memoryview(b"")

    def unpack(self, phase: cython.int) -> None:
        with self.loading:
            if self.ready[phase]:
                return
            if not self.buffer:
                self.provide(
                    memoryview(fresh_memory(2 * PHASES * PHASE_SIZE)).cast("h")
                )  # occupies memory only once written
            if not self.blocks:
                self.blocks = read_blocks(self.path)
            unfold(self.buffer, phase * PHASE_SIZE, decompressed(self.path, self.blocks[phase]), fold_table())
            self.ready[phase] = True

    def provide(self, buffer: memoryview) -> None:
        """Use the weights in this buffer."""
        view = cython.declare(cython.short[:], buffer)
        self.buffer = buffer
        self.values = cython.address(view[0])

    def phase(self, number: int) -> memoryview:
        """Return the weights of a phase.

        :raises WeightsError: as :meth:`unpack`.
        """
        self.unpack(number)
        return self.buffer[number * PHASE_SIZE : (number + 1) * PHASE_SIZE]


@cache
def fold_table() -> memoryview:
    """Return, for each weight of the patterns, the first weight that is equal to it by symmetry of the board.

    Weights without an earlier equal weight are *free*, and so are the weights for mobilities and empty squares. Only
    free weights are fitted and stored.
    """
    return folded(LEARNT)


def folded(patterns: PatternSet) -> memoryview:
    """Return, for each row of the patterns' tables, the first row that is equal to it by symmetry of the board.

    A row's index in its pattern's table is the sum of the powers of three plus half of the table's length.
    """
    fold = memoryview(bytearray(4 * patterns.size)).cast("i")
    image = memoryview(bytearray(4 * 3 ** max(len(squares) for _, squares in patterns.places))).cast("i")
    unfolded(fold)
    for start, orders in zip(patterns.starts, patterns.symmetries(), strict=False):
        for order in orders:
            fold_by(fold, start, order, image)
    return fold


def unfolded(fold: memoryview) -> None:
    """Initialise the table so that no row equals an earlier row."""
    view = cython.declare(cython.int[:], fold)
    row: cython.int
    for row in range(view.shape[0]):
        view[row] = row


def fold_by(fold: memoryview, start: cython.int, order: Sequence[int], image: memoryview) -> None:
    """Fold one pattern's part of the table, given a permutation of its squares that maps its place to itself.

    :param image: scratch space for the permuted index of each index.
    """
    view = cython.declare(cython.int[:], fold)
    images = cython.declare(cython.int[:], image)
    size: cython.int = 1
    index: cython.int
    step: cython.int
    images[0] = 0
    for digit in order:  # prepend a digit to each index; its image has the digit elsewhere
        step = 1
        for _ in range(digit):
            step *= 3
        for index in range(size):
            images[size + index] = images[index] + step
            images[2 * size + index] = images[index] + 2 * step
        size *= 3
    for index in range(size):
        view[start + index] = min(view[start + index], start + images[index])


def unfold(values: memoryview, start: cython.int, stored: bytearray, fold: memoryview) -> None:
    """Write the weights of a phase to ``values[start:]`` from its stored bytes."""
    view = cython.declare(cython.short[:], values)
    fold_view = cython.declare(cython.int[:], fold)
    bytes_view = cython.declare(cython.uchar[:], stored)
    high: cython.int = len(stored) // 2
    count: cython.int = 0
    end: cython.int = PHASE_SIZE
    patterns: cython.int = TABLE_SIZE
    i: cython.int
    for i in range(end):
        if i < patterns and fold_view[i] < i:
            view[start + i] = view[start + fold_view[i]]
        else:
            view[start + i] = bytes_view[count] + 256 * (bytes_view[high + count] ^ 128) - 32768
            count += 1


@cache
def free_weights() -> list[int]:
    """Return the indices of the weights that are stored for each phase."""
    fold = fold_table()
    return [i for i in range(PHASE_SIZE) if i >= TABLE_SIZE or fold[i] == i]


@cache
def stored_count() -> int:
    """Return the number of weights stored for each phase."""
    return PHASE_SIZE - TABLE_SIZE + count_free(fold_table())


def count_free(fold: memoryview) -> cython.int:
    """Return the number of rows in a table from :func:`folded` that equal no earlier row."""
    view = cython.declare(cython.int[:], fold)
    count: cython.int = 0
    i: cython.int
    for i in range(view.shape[0]):
        if view[i] == i:
            count += 1
    return count


def layout() -> int:
    """Return a CRC-32 of the layout (pattern squares and table sizes), which a weights file must match."""
    return zlib.crc32(repr((list(LEARNT.patterns.values()), MOBILITY, POTENTIAL)).encode())


def read_blocks(path: str) -> list[bytes]:
    """Return the compressed phases in a file.

    :raises WeightsError: if the file cannot be read, has a different format, version or layout, or is damaged.
    """
    data = contents_of(path, "learnt")
    start = HEADER.size + PHASES * ENTRY.size
    table = data[HEADER.size : start]
    if len(data) < start:
        raise WeightsError(f"weights: {path} is damaged: it is truncated")
    _, *kind, checksum = HEADER.unpack_from(data)
    if kind != [VERSION, PHASES, layout(), stored_count()]:
        raise WeightsError(f"weights: {path} has a different version or was made for different patterns")
    lengths, checksums = zip(*ENTRY.iter_unpack(table), strict=True)
    *begins, end = accumulate(lengths, initial=start)
    blocks = [data[begin : begin + length] for begin, length in zip(begins, lengths, strict=True)]
    if (zlib.crc32(table), end) != (checksum, len(data)) or tuple(map(zlib.crc32, blocks)) != checksums:
        raise WeightsError(f"weights: {path} is damaged: a length or a checksum is wrong")
    return blocks


def decompressed(path: str, block: bytes) -> bytearray:
    """Return the stored bytes of one phase."""
    wanted = 2 * stored_count()
    try:
        stored = zlib.decompress(block)
    except zlib.error as error:
        raise WeightsError(f"weights: {path} is damaged: {error}") from None
    if len(stored) != wanted:
        raise WeightsError(f"weights: {path} is damaged: a phase must have {wanted} bytes, not {len(stored)}")
    return bytearray(stored)


def pack_weights(phases: Sequence[bytes]) -> bytes:
    """Assemble a weights file.

    :param phases: the free weights of each phase in order, as little-endian 16-bit integers.
    """
    assert len(phases) == PHASES
    blocks = []
    for values in phases:
        assert len(values) == 2 * stored_count()
        blocks.append(zlib.compress(values[::2] + values[1::2], COMPRESSION))
    table = b"".join(ENTRY.pack(len(block), zlib.crc32(block)) for block in blocks)
    header = HEADER.pack(MAGICS["learnt"], VERSION, PHASES, layout(), stored_count(), zlib.crc32(table))
    return header + table + b"".join(blocks)


@cache
def shipped_weights() -> Weights:
    """Return the shipped weights, which are loaded on first use."""
    return Weights(SHIPPED)
