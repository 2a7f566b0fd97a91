"""The network's weights: their file format and memory layout.

A file begins with a header of 32 bytes: ``QMNETWRK``, the format version and the number of stages (two bytes each), a
CRC-32 of the network layout (:func:`layout`), the number of rows stored, the CRC-32 of everything that follows (four
bytes each), and eight zero bytes. It continues with

- a bit for each free row of the patterns, starting in the lowest bit of a byte: 1 if the row is stored, 0 if it
  contains only zeros, like rows that no training position selected. Of rows that are equal by symmetry of the board,
  only the first is free;
- the rows stored, 64 signed bytes each;
- 64 16-bit integers for each stage, for each of the mover's mobilities and for each of the opponent's;
- for each stage, 560 16-bit integers: the weights of the 16 units, of the 32 products, and of the units' outputs;
- for each stage, 17 32-bit integers: the biases of the units and of the output.

All numbers are little-endian. Fixed-point 1.0 is 256 in sums and rows, 1024 in products and units, and 4096 in weights.
"""

from __future__ import annotations

import os
import struct
import threading
import zlib
from collections.abc import Sequence
from functools import cache, lru_cache
from itertools import compress

import cython
from cython.cimports.quietmove.engine.games.othello.evaluators.network_weights import (
    HALF,
    INTS,
    MOBILITIES,
    SHORTS,
    STAGES,
    SUMS,
    UNITS,
)

from quietmove.engine.errors import WeightsError
from quietmove.engine.files import open_regular, read_bytes
from quietmove.engine.games.othello.evaluators import patterns
from quietmove.engine.games.othello.evaluators.patterns import NETWORK, PatternSet
from quietmove.engine.memory import fresh_memory

__all__ = [
    "FIRSTS",
    "HALF",
    "MOBILITIES",
    "OUTPUT_ONE",
    "STAGES",
    "SUMS",
    "TENS",
    "UNITS",
    "NetworkWeights",
    "corrected_network",
    "free_rows",
    "is_network",
    "network_of",
    "pack_network",
    "shipped_network",
    "unpack_network",
]

MAGIC = b"QMNETWRK"
VERSION = 2
FILES_KEPT = 4  # cache size; a file takes up to 29 MB of memory
OUTPUT_ONE = 1 << 22  # fixed-point 1.0 in a unit and in the output
TENS = 10  # discs for an output of 1.0
HEADER = struct.Struct("<8sHHIII8x")
FIRSTS = STAGES + 2 * MOBILITIES  # number of rows of 16-bit integers
ZEROS = cython.declare(cython.ulonglong, 0x0080008000800080)  # four words of an all-zero row
SHIPPED = os.path.join(os.path.dirname(patterns.__file__), "network.weights")  # this module may be in folder v3


class NetworkWeights:
    """The weights in a file, which is loaded when the first position is evaluated, even during a search.

    :ivar rows: the rows of all patterns, 32 16-bit words each. Word i of a row with the numbers n is ``n[i] + 128 + 256
        * n[i + 32]``.
    :ivar firsts: 64 16-bit integers for each stage, each of the mover's mobilities and each of the opponent's.
    :ivar shorts: :data:`SHORTS` 16-bit integers for each stage.
    :ivar ints: :data:`INTS` 32-bit integers for each stage.
    """

    def __init__(self, path: str) -> None:
        self.path = path
        self.ready = False
        self.failure: BaseException | None = None
        self.loading = threading.Lock()  # two threads may need the weights at the same time

    def load(self) -> None:
        """Load the file; if that fails, :meth:`check` raises the error."""
        with cython.gil:
            try:
                if self.failure is None:
                    self.unpack()
            except BaseException as error:  # nothing can be raised here, not even KeyboardInterrupt
                self.failure = error

    def check(self) -> None:
        """Raise the error if the file could not be loaded. Loading is retried when the weights are needed again.

        :raises WeightsError: that error.
        """
        if self.failure is not None:
            failure, self.failure = self.failure, None
            raise failure

    def unpack(self) -> None:
        """Load the file unless it is loaded already. Thread-safe.

        :raises WeightsError: if the file cannot be read or is invalid.
        """
        with self.loading:
            if self.ready:
                return
            data = memoryview(read_network(self.path))
            place = HEADER.size + bits_size()
            end = place + SUMS * stored_rows(data)
            rows = memoryview(fresh_memory(SUMS * NETWORK.size))
            unfold_rows(rows.cast("Q"), data[place:end].cast("Q"), data[HEADER.size : place], folded(NETWORK))
            place = end
            firsts = memoryview(bytearray(data[place : place + 2 * SUMS * FIRSTS])).cast("h")
            place += 2 * SUMS * FIRSTS
            shorts = memoryview(bytearray(data[place : place + 2 * SHORTS * STAGES])).cast("h")
            place += 2 * SHORTS * STAGES
            self.provide(rows.cast("H"), firsts, shorts, memoryview(bytearray(data[place:])).cast("i"))
            self.ready = True

    def provide(self, rows: memoryview, firsts: memoryview, shorts: memoryview, ints: memoryview) -> None:
        """Use the weights in these buffers."""
        row_view = cython.declare(cython.ushort[:], rows)
        first_view = cython.declare(cython.short[:], firsts)
        short_view = cython.declare(cython.short[:], shorts)
        int_view = cython.declare(cython.int[:], ints)
        self.buffers = rows, firsts, shorts, ints
        self.rows = cython.address(row_view[0])
        self.firsts = cython.address(first_view[0])
        self.shorts = cython.address(short_view[0])
        self.ints = cython.address(int_view[0])


@cython.cfunc
@cython.exceptval(check=False)
@cython.nogil
def spread(numbers: cython.uint) -> cython.ulonglong:
    """Spread the four bytes of ``numbers`` to the low bytes of four 16-bit words."""
    words: cython.ulonglong = numbers
    words = (words | words << 16) & cython.cast(cython.ulonglong, 0x0000FFFF0000FFFF)
    return (words | words << 8) & cython.cast(cython.ulonglong, 0x00FF00FF00FF00FF)


def unfold_rows(rows: memoryview, stored: memoryview, bits: memoryview, fold: memoryview) -> None:
    """Rebuild all rows from the stored ones. A row that is not stored is zero or equals an earlier row."""
    row_view = cython.declare(cython.ulonglong[:], rows)
    stored_view = cython.declare(cython.const[cython.ulonglong][:], stored)
    bits_view = cython.declare(cython.const[cython.uchar][:], bits)
    fold_view = cython.declare(cython.int[:], fold)
    words: cython.Py_ssize_t = SUMS // 8
    free: cython.Py_ssize_t = 0
    count: cython.Py_ssize_t = 0
    row: cython.Py_ssize_t
    i: cython.Py_ssize_t
    low: cython.ulonglong
    high: cython.ulonglong
    with cython.nogil:  # so that the compiler rejects Python objects, which would take ten times as long
        for row in range(fold_view.shape[0]):
            if fold_view[row] < row:
                for i in range(words):
                    row_view[words * row + i] = row_view[words * fold_view[row] + i]
                continue
            low = high = 0
            for i in range(words // 2):
                if bits_view[free >> 3] >> (free & 7) & 1:
                    low = stored_view[words * count + i]
                    high = stored_view[words * count + words // 2 + i]
                row_view[words * row + 2 * i] = (spread(low) | spread(high) << 8) ^ ZEROS
                row_view[words * row + 2 * i + 1] = (spread(low >> 32) | spread(high >> 32) << 8) ^ ZEROS
            count += bits_view[free >> 3] >> (free & 7) & 1
            free += 1


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


def count_free(fold: memoryview) -> cython.int:
    """Return the number of rows in a table from :func:`folded` that equal no earlier row."""
    view = cython.declare(cython.int[:], fold)
    count: cython.int = 0
    i: cython.int
    for i in range(view.shape[0]):
        if view[i] == i:
            count += 1
    return count


@cache
def free_rows() -> list[int]:
    """Return the numbers of the rows that are not symmetric copies of an earlier row."""
    return [row for row, first in enumerate(folded(NETWORK)) if row == first]


def layout() -> int:
    """Return a CRC-32 of the network layout (pattern squares and layer sizes), which a weights file must match."""
    return zlib.crc32(repr((list(NETWORK.patterns.values()), SUMS, UNITS, STAGES, MOBILITIES, INTS)).encode())


@cache
def bits_size() -> int:
    """Return the size, in bytes, of the flags that mark the stored rows."""
    return (count_free(folded(NETWORK)) + 7) // 8


def stored_rows(data: memoryview) -> int:
    """Return the number of rows stored in a file, according to its flags."""
    return int.from_bytes(data[HEADER.size : HEADER.size + bits_size()], "little").bit_count()


def size_of_file(rows: int) -> int:
    """Return the size in bytes of a weights file with this many rows."""
    return HEADER.size + bits_size() + SUMS * rows + 2 * SUMS * FIRSTS + STAGES * (2 * SHORTS + 4 * INTS)


def read_network(path: str) -> bytes:
    """Return the contents of a weights file after checking them.

    :raises WeightsError: if the file cannot be read, has a different format, version or layout, or is damaged.
    """
    try:
        data = read_bytes(path)
    except OSError as error:
        raise WeightsError(f"weights: {path}: {error.strerror}") from None
    if not data.startswith(MAGIC):
        raise WeightsError(f"weights: {path} is not a weights file")
    if len(data) < HEADER.size:
        raise WeightsError(f"weights: {path} is damaged: it is truncated")
    _, version, stages, found, count, checksum = HEADER.unpack_from(data)
    if (version, stages, found) != (VERSION, STAGES, layout()):
        raise WeightsError(f"weights: {path} has a different version or was made for a different network")
    if len(data) != size_of_file(count):
        raise WeightsError(f"weights: {path} is damaged: it must have {size_of_file(count)} bytes, not {len(data)}")
    if zlib.crc32(memoryview(data)[HEADER.size :]) != checksum or stored_rows(memoryview(data)) != count:
        raise WeightsError(f"weights: {path} is damaged: a checksum is wrong")
    return data


def pack_network(rows: bytes, firsts: bytes, shorts: bytes, ints: bytes) -> bytes:
    """Assemble a weights file from its little-endian parts. ``rows`` contains all :func:`free_rows`."""
    each = [rows[start : start + SUMS] for start in range(0, len(rows), SUMS)]
    stored = [any(row) for row in each]
    bits = int("".join("01"[each] for each in reversed(stored)), 2).to_bytes(bits_size(), "little")
    parts = bits + b"".join(compress(each, stored)) + firsts + shorts + ints
    header = HEADER.pack(MAGIC, VERSION, STAGES, layout(), sum(stored), zlib.crc32(parts))
    assert len(header) + len(parts) == size_of_file(sum(stored))
    return header + parts


def unpack_network(path: str) -> tuple[bytes, bytes, bytes, bytes]:
    """Return the parts of a weights file, as accepted by :func:`pack_network`.

    :raises WeightsError: as :func:`read_network`.
    """
    data = read_network(path)
    start = HEADER.size + bits_size()
    bits = int.from_bytes(data[HEADER.size : start], "little")
    rows = bytearray()
    for number in range(len(free_rows())):
        if bits >> number & 1:
            rows += data[start : start + SUMS]
            start += SUMS
        else:
            rows += bytes(SUMS)
    shorts_start = start + 2 * SUMS * FIRSTS
    ints_start = shorts_start + 2 * SHORTS * STAGES
    firsts = bytes(data[start:shorts_start])
    return bytes(rows), firsts, bytes(data[shorts_start:ints_start]), bytes(data[ints_start:])


def corrected_network(path: str, discs: Sequence[float]) -> bytes:
    """Return a weights file with shifted output biases.

    :param discs: the shift in discs for each number of empty squares.
    :raises WeightsError: as :func:`read_network`.
    """
    data = bytearray(read_network(path))
    ints = memoryview(data)[len(data) - 4 * INTS * STAGES :].cast("i")
    for number, moved in enumerate(discs):
        ints[INTS * number + UNITS] += round(moved * OUTPUT_ONE / TENS)
    HEADER.pack_into(data, 0, *HEADER.unpack_from(data)[:5], zlib.crc32(memoryview(data)[HEADER.size :]))
    return bytes(data)


def is_network(path: str) -> bool:
    """Return whether a file can be read and begins like a weights file."""
    try:
        with open_regular(path) as file:
            return file.read(len(MAGIC)) == MAGIC
    except OSError:
        return False


@lru_cache(maxsize=FILES_KEPT)
def network_of(path: str) -> NetworkWeights:
    """Return the weights in a file. The most recently used files are cached.

    :raises WeightsError: if the file cannot be read or is invalid.
    """
    weights = NetworkWeights(path)
    weights.unpack()
    return weights


@cache
def shipped_network() -> NetworkWeights:
    """Return the shipped weights, which are loaded on first use."""
    return NetworkWeights(SHIPPED)
