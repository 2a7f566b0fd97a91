"""The transposition table: results of earlier visits to positions.

An entry consists of two 64-bit words. The fields of the second are listed in table.pxd; the first is the key XOR the
second, so that an entry torn by another thread's write reads as a miss (Hyatt and Mann 2002). Four entries form a
bucket, which is one cache line. Entries from another epoch than the table's count as empty.

A table of up to 64 MB uses the first 2 MB of its memory, and doubles this part whenever it gets crowded, so that the
entries of a short search stay in the processor's caches.

Replacement: an entry of the same position is overwritten, or else the least valuable entry in the bucket. An entry's
worth is its depth minus eight for each search started since it was written, so that a deep entry survives a few moves
of a game before it is replaced.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

import cython
from cython.cimports.quietmove.engine.prefetch_header import prefetch_line
from cython.cimports.quietmove.engine.search.table import (
    BOUND_AT,
    BOUND_BITS,
    DEPTH_AT,
    DEPTH_BITS,
    ENTERED,
    EPOCH_AT,
    EPOCH_BITS,
    EXACT,
    GENERATION_AT,
    GENERATION_BITS,
    LOWER,
    MOVE_AT,
    MOVE_BITS,
    SCORE_BITS,
    SELECTIVITY_AT,
    SELECTIVITY_BITS,
    SLOTS,
    UPPER,
    WORDS,
)

from quietmove.engine.memory import fresh_memory

LAZY_MEGABYTES = 16  # larger tables are touched before use, because the first touch of 2 MB can take 3 ms
# Larger tables are used whole from the start. Doubling the part from 32 to 64 MB halts the search for 9 ms, about as
# long as `Move Overhead` allows; the next doubling would take twice as long.
GROWING_MEGABYTES = 64
FIRST_MASK = cython.declare(cython.ulonglong, (1 << 15) - 1)  # the last bucket of the part in use, at first
# The part in use doubles when the number of overwritten entries of other positions reaches 1/64 of its buckets.
CROWDED_BITS = cython.declare(cython.int, 6)
PAGE_WORDS = cython.declare(cython.int, 512)  # 64-bit words per memory page
READY_SECONDS = 3.0  # time limit for touching a table, since referees wait only about ten seconds for readyok
READY_WORDS = 1 << 21  # words touched (16 MB) between two checks of the clock

__all__ = ["EXACT", "LOWER", "UPPER", "Table", "bound_of", "depth_of", "move_of", "score_of", "selectivity_of"]


def score_of(data: cython.ulonglong) -> cython.int:
    """Return the score in an entry."""
    return cython.cast(cython.int, data & (1 << SCORE_BITS) - 1) - (1 << SCORE_BITS - 1)


def move_of(data: cython.ulonglong) -> cython.int:
    """Return the best move in an entry."""
    return cython.cast(cython.int, data >> MOVE_AT & (1 << MOVE_BITS) - 1)


def depth_of(data: cython.ulonglong) -> cython.int:
    """Return the depth in an entry."""
    return cython.cast(cython.int, data >> DEPTH_AT & (1 << DEPTH_BITS) - 1)


def bound_of(data: cython.ulonglong) -> cython.int:
    """Return the type of an entry's score: EXACT, LOWER or UPPER bound."""
    return cython.cast(cython.int, data >> BOUND_AT & (1 << BOUND_BITS) - 1)


def selectivity_of(data: cython.ulonglong) -> cython.int:
    """Return the selectivity of the search that wrote an entry, or 0 if it was not selective."""
    return cython.cast(cython.int, data >> SELECTIVITY_AT & (1 << SELECTIVITY_BITS) - 1)


def age_of(data: cython.ulonglong, generation: cython.ulonglong) -> cython.int:
    """Return the number of searches started since an entry was written."""
    return cython.cast(cython.int, generation - (data >> GENERATION_AT) & (1 << GENERATION_BITS) - 1)


class Table:
    """A transposition table of fixed size.

    :param megabytes: maximum size in MiB, at least 1; the number of buckets is the largest power of two that fits.
    """

    def __init__(self, megabytes: int) -> None:
        if megabytes < 1:
            raise ValueError(f"table size: must be at least 1 MB, not {megabytes}")
        self.megabytes = megabytes
        buckets = 1 << ((megabytes << 20) // (8 * WORDS)).bit_length() - 1
        self.last = buckets - 1
        self.clear()

    def clear(self) -> None:
        """Discard all entries and allocate new memory, which the system clears page by page on first touch."""
        self.words = memoryview(fresh_memory((self.last + 1) * 8 * WORDS)).cast("Q")
        self.is_ready = self.megabytes <= LAZY_MEGABYTES
        self.epoch = 0  # the epoch of zeroed memory
        self.forget()

    def forget(self) -> None:
        """Discard all entries but keep the memory, by starting a new epoch, so that nothing needs to be cleared."""
        self.epoch += 1
        if self.epoch == 1 << EPOCH_BITS:
            self.clear()
            return
        self.mask = self.last if self.megabytes > GROWING_MEGABYTES else min(FIRST_MASK, self.last)
        self.crowded = 0
        self.generation = 0
        self.entered = memoryview(bytearray(8 * ENTERED)).cast("Q")

    def get_ready(self, threads: int, is_stopped: Callable[[], bool]) -> None:
        """Make the system clear the memory of a large table, using several threads, before a search needs it.

        If that is too slow or is stopped, the rest is left to the next call, or to a search.
        """
        deadline = time.monotonic() + READY_SECONDS

        def is_over() -> bool:
            return time.monotonic() >= deadline or is_stopped()

        words = (self.last + 1) * WORDS
        share = -(-words // threads)
        helpers = [
            threading.Thread(target=self.touch, args=(start, share, is_over)) for start in range(share, words, share)
        ]
        for number, helper in enumerate(helpers, 1):
            try:
                helper.start()
            except RuntimeError:  # the system cannot start another thread
                self.touch(number * share, share, is_over)
        self.touch(0, share, is_over)
        for helper in helpers:
            if helper.ident is not None:
                helper.join()
        self.is_ready = not is_over()

    def touched_megabytes(self) -> int:
        """Return the allocated size in megabytes, or 0 while the table is still being allocated."""
        return self.megabytes if self.is_ready else 0

    def touch(self, start: cython.ulonglong, count: cython.ulonglong, is_over: Callable[[], bool]) -> None:
        """Write zero to each page of ``count`` words from ``start``, up to the end of the table, until ``is_over()``.

        An entry written there by a search is lost, but never corrupted.
        """
        word: cython.ulonglong = start
        end: cython.ulonglong = min(start + count, (self.last + 1) * WORDS)
        pause: cython.ulonglong
        while word < end and not is_over():
            pause = min(word + READY_WORDS, end)
            with cython.nogil:
                while word < pause:
                    self.words[word] = 0
                    word += PAGE_WORDS

    def new_search(self) -> None:
        """Age all entries by one search."""
        self.generation = (self.generation + 1) % (1 << GENERATION_BITS)

    def hashfull(self) -> int:
        """Return the share of the table filled by this search, in thousandths, from a sample of its first buckets."""
        sample: cython.int = min(1000, SLOTS * cython.cast(cython.longlong, self.mask + 1))
        filled: cython.int = 0
        slot: cython.int
        data: cython.ulonglong
        for slot in range(sample):
            data = self.words[2 * slot + 1]
            filled += data >> EPOCH_AT == self.epoch and age_of(data, self.generation) == 0
        return filled * 1000 * (self.mask + 1) // (sample * (self.last + 1))

    def prefetch(self, key: cython.ulonglong) -> None:
        """Prefetch the bucket of ``key``, which will be looked up soon."""
        prefetch_line(cython.address(self.words[(key & self.mask) * WORDS]))

    def probe(self, key: cython.ulonglong) -> cython.ulonglong:
        """Return the data word of a key's entry, or 0 if there is none."""
        base: cython.ulonglong = (key & self.mask) * WORDS
        slot: cython.int
        data: cython.ulonglong
        for slot in range(SLOTS):
            data = self.words[base + 2 * slot + 1]
            if self.words[base + 2 * slot] ^ data == key and data >> EPOCH_AT == self.epoch:
                return data
        return 0

    def enter(self, key: cython.ulonglong) -> None:
        """Mark a position as being searched, for other searches that share the table.

        A mark lost to another position in the same slot, or to another thread, costs time but changes no value.
        """
        self.entered[key & (ENTERED - 1)] = key

    def leave(self, key: cython.ulonglong) -> None:
        """Remove the mark of a position."""
        if self.entered[key & (ENTERED - 1)] == key:
            self.entered[key & (ENTERED - 1)] = 0

    def is_entered(self, key: cython.ulonglong) -> cython.bint:
        """Return whether a position is being searched."""
        return self.entered[key & (ENTERED - 1)] == key

    def store(
        self,
        key: cython.ulonglong,
        depth: cython.int,
        bound: cython.int,
        score: cython.int,
        move: cython.int,
        selectivity: cython.int,
    ) -> None:
        """Write an entry.

        ``-32768 <= score < 32768``, ``0 <= move < 65536``, ``0 <= depth < 256``, ``0 <= selectivity < 8``.
        """
        base: cython.ulonglong = (key & self.mask) * WORDS
        victim: cython.ulonglong = base
        least: cython.int = 1 << 20
        slot: cython.ulonglong
        data: cython.ulonglong
        worth: cython.int
        for slot in range(base, base + WORDS, 2):
            data = self.words[slot + 1]
            if self.words[slot] ^ data == key or data >> EPOCH_AT != self.epoch:
                victim = slot
                break
            worth = depth_of(data) - 8 * age_of(data, self.generation)
            if worth < least:
                least = worth
                victim = slot
        else:
            self.crowded += self.mask < self.last
        data = cython.cast(cython.ulonglong, score + (1 << SCORE_BITS - 1))
        data |= cython.cast(cython.ulonglong, move) << MOVE_AT
        data |= cython.cast(cython.ulonglong, depth) << DEPTH_AT
        data |= cython.cast(cython.ulonglong, bound) << BOUND_AT
        data |= self.generation << GENERATION_AT
        data |= cython.cast(cython.ulonglong, selectivity) << SELECTIVITY_AT
        data |= self.epoch << EPOCH_AT
        self.words[victim] = key ^ data
        self.words[victim + 1] = data
        if self.crowded > self.mask >> CROWDED_BITS:
            self.grow()

    def grow(self) -> None:
        """Double the part in use, and move each entry there whose key now selects the new half.

        Other threads can continue to use the table: they can lose entries, but never read a wrong one.
        """
        added: cython.ulonglong = self.mask + 1
        if added > self.last:  # another thread was faster
            return
        slot: cython.ulonglong
        data: cython.ulonglong
        for slot in range(0, added * WORDS, 2):
            data = self.words[slot + 1]
            if data >> EPOCH_AT == self.epoch and (self.words[slot] ^ data) & added:
                self.words[slot + added * WORDS] = self.words[slot]
                self.words[slot + added * WORDS + 1] = data
                self.words[slot + 1] = 0
        self.mask = 2 * added - 1
        self.crowded = 0
