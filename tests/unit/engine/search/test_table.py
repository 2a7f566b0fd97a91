"""The transposition table: what goes in comes out, and what has to make room."""

from __future__ import annotations

import mmap
import random
from pathlib import Path

import pytest

from quietmove.engine.search import table as search_table
from quietmove.engine.search.table import (
    EXACT,
    LOWER,
    UPPER,
    Table,
    bound_of,
    depth_of,
    move_of,
    score_of,
    selectivity_of,
)

STATUS = Path("/proc/self/statm")
BUCKETS = (1 << 20) // 64  # buckets in a table of one megabyte
PATIENCE = 240.0  # seconds for a busy machine to allocate a table


def store(table: Table, *entry: int, selectivity: int = 0) -> None:
    table.store(*entry, selectivity)


def entry(data: int) -> tuple[int, int, int, int]:
    return depth_of(data), bound_of(data), score_of(data), move_of(data)


def test_what_is_stored_is_found() -> None:
    table = Table(1)
    key = 0xFEDC_BA98_7654_3210
    for depth in (0, 1, 60, 254, 255):
        for bound in (EXACT, LOWER, UPPER):
            for score in (-32768, -32767, -6400, -1, 0, 1, 6400, 32000, 32767):
                for move in (0, 1, 64, 4095, 65535):
                    table.clear()
                    table.new_search()
                    store(table, key, depth, bound, score, move)
                    assert entry(table.probe(key)) == (depth, bound, score, move)


def test_the_selectivity_is_kept_beside_the_rest() -> None:
    table = Table(1)
    for _ in range(63):  # the maximum generation, stored next to the depth
        table.new_search()
    for selectivity in (0, 1, 5, 7):
        store(table, 12, 255, UPPER, 32767, 65535, selectivity=selectivity)
        data = table.probe(12)
        assert selectivity_of(data) == selectivity
        assert entry(data) == (255, UPPER, 32767, 65535)
    assert table.hashfull() == 1
    in_sample = Table(1)
    store(in_sample, 1, 3, EXACT, 0, 0, selectivity=7)
    assert in_sample.hashfull() == 1


def test_other_positions_are_not_found() -> None:
    table = Table(1)
    for key in (0, 1, 1 << 63, (1 << 64) - 1):
        assert table.probe(key) == 0
    store(table, 5, 3, EXACT, 100, 7)
    for other in (5 + BUCKETS, 5 ^ 1 << 63, 0, 4, 6):  # the first two keys share the stored key's bucket
        assert table.probe(other) == 0
    store(table, 0, 0, EXACT, -32768, 0)  # every field as close to zero as possible
    assert entry(table.probe(0)) == (0, EXACT, -32768, 0)
    table.clear()
    assert table.probe(5) == table.probe(0) == 0


def test_the_same_position_is_overwritten() -> None:
    table = Table(1)
    for number in range(4):
        store(table, 9 + number * BUCKETS, 20, EXACT, number, 0)
    store(table, 9 + BUCKETS, 2, LOWER, -5, 1)
    assert entry(table.probe(9 + BUCKETS)) == (2, LOWER, -5, 1)
    for number in (0, 2, 3):
        assert score_of(table.probe(9 + number * BUCKETS)) == number


def test_the_shallowest_entry_of_a_full_bucket_is_replaced() -> None:
    for order in ((1, 7, 3, 9), (9, 3, 7, 1), (3, 9, 1, 7)):
        table = Table(1)
        for depth in order:
            store(table, 40 + depth * BUCKETS, depth, EXACT, depth, 0)
        store(table, 40 + 100 * BUCKETS, 2, EXACT, 100, 0)
        kept = [depth for depth in (1, 3, 7, 9, 100) if table.probe(40 + depth * BUCKETS)]
        assert kept == [3, 7, 9, 100]


@pytest.mark.parametrize(
    ("old", "searches", "young", "old_stays"),
    [(10, 1, 3, False), (10, 1, 1, True), (20, 2, 5, False), (20, 2, 3, True), (255, 31, 6, True), (255, 31, 8, False)],
)
def test_eight_plies_are_worth_one_search(old: int, searches: int, young: int, old_stays: bool) -> None:
    table = Table(1)
    store(table, 77, old, EXACT, 0, 0)
    for _ in range(searches):
        table.new_search()
    for number in (1, 2, 3):
        store(table, 77 + number * BUCKETS, young, EXACT, 0, 0)
    store(table, 77 + 4 * BUCKETS, 0, EXACT, 0, 0)
    found = [bool(table.probe(77 + number * BUCKETS)) for number in range(5)]
    assert found == ([True, False, True, True, True] if old_stays else [False, True, True, True, True])


def test_the_generations_go_round() -> None:
    """After 64 searches the count begins again; an entry just written is never taken for an old one."""
    table = Table(1)
    for search in range(200):
        table.new_search()
        for number in range(4):
            store(table, 3 + number * BUCKETS, 10, EXACT, search, 0)
        store(table, 3 + (4 + search) * BUCKETS, 9, EXACT, search, 0)
        assert score_of(table.probe(3 + (4 + search) * BUCKETS)) == search
        assert table.hashfull() <= 1000


def test_hashfull_counts_what_this_search_wrote() -> None:
    table = Table(1)
    assert table.hashfull() == 0
    table.new_search()
    for bucket in range(250):
        store(table, bucket, 5, LOWER, 0, 1)
    assert table.hashfull() == 250  # a quarter of the thousand sampled slots
    table.new_search()
    assert table.hashfull() == 0
    for bucket in range(250):
        for number in range(4):
            store(table, bucket + number * BUCKETS, 5, LOWER, 0, 1)
    assert table.hashfull() == 1000
    table.clear()
    assert table.hashfull() == 0


def test_a_table_grows_as_it_fills() -> None:
    """The part in use doubles, up to 8 MB here, before entries crowd each other out, and keeps its entries."""
    table = Table(9)
    draws = random.Random(1)
    keys = [draws.getrandbits(64) for _ in range(200_000)]
    shares = []
    for count in (30_000, 200_000):
        for number in range(count):
            store(table, keys[number], 5, EXACT, number % 1000, 1)
        found = [number for number in range(count) if table.probe(keys[number])]
        assert all(score_of(table.probe(keys[number])) == number % 1000 for number in found)
        shares.append(len(found) / count)
    assert shares[0] > 0.99
    assert shares[1] > 0.97  # 2 MB have room for 131,072 entries, 8 MB for 524,288
    assert 330 < table.hashfull() < 430


def test_a_table_that_forgets_is_as_an_empty_one() -> None:
    """What it forgot is not found, counts as no entry, and makes room in the order of the places."""
    table, empty = Table(1), Table(1)
    for searches in range(3):
        for number in range(4):
            store(table, 7 + number * BUCKETS, 200, EXACT, number, 0)
        table.new_search()
        table.forget()
        assert table.hashfull() == 0
        assert not any(table.probe(7 + number * BUCKETS) for number in range(4))
        for depth in (3, 1, 2, 9, 4):
            for each in (table, empty):
                store(each, 7 + depth * BUCKETS, depth, EXACT, searches, 0)
        found = [[bool(each.probe(7 + depth * BUCKETS)) for depth in range(10)] for each in (table, empty)]
        assert found[0] == found[1]
        assert sum(found[0]) == 4
        empty.clear()
        table.forget()


def test_the_epochs_go_round() -> None:
    table = Table(1)
    store(table, 7, 200, EXACT, 0, 0)
    for _ in range(3 * 8192):
        table.forget()
        assert table.probe(7) == 0


@pytest.mark.parametrize(("megabytes", "buckets"), [(1, 1 << 14), (2, 1 << 15), (3, 1 << 15)])
def test_the_size_is_the_power_of_two_that_fits(megabytes: int, buckets: int) -> None:
    table = Table(megabytes)
    assert table.megabytes == megabytes
    for number in range(4):
        store(table, 1 + number * buckets, 1, EXACT, 0, 0)
    store(table, 1 + buckets // 2, 1, EXACT, 0, 0)  # another bucket, so nothing is replaced
    assert all(table.probe(1 + number * buckets) for number in range(4))
    store(table, 1 + 4 * buckets, 1, EXACT, 0, 0)  # the same bucket
    assert not all(table.probe(1 + number * buckets) for number in range(4))


@pytest.mark.skipif(not STATUS.exists(), reason="this system does not say how much memory a process uses")
def test_a_table_takes_memory_only_where_it_is_used() -> None:
    """A program that starts with a large table starts no later, and one that empties it gives the memory back."""
    before = resident()
    table = Table(64)
    assert resident() - before < 16 << 20
    for bucket in range(0, BUCKETS, 64):  # one bucket per small page
        store(table, bucket, 1, EXACT, 0, 0)
    assert resident() - before < 16 << 20
    table.get_ready(1, lambda: False)
    assert resident() - before > 50 << 20
    table.clear()
    assert resident() - before < 16 << 20


def resident() -> int:
    return int(STATUS.read_text(encoding="ascii").split()[1]) * mmap.PAGESIZE


@pytest.mark.parametrize("megabytes", [0, -1])
def test_a_table_has_a_megabyte_at_least(megabytes: int) -> None:
    with pytest.raises(ValueError, match=rf"must be at least 1 MB, not {megabytes}"):
        Table(megabytes)


@pytest.mark.parametrize("threads", [1, 3])
def test_a_large_table_has_all_its_memory_before_a_search(threads: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(search_table, "READY_SECONDS", PATIENCE)
    table = Table(64)
    before = resident()
    table.get_ready(threads, bool)
    assert resident() - before > 60 << 20
    table.forget()
    assert resident() - before > 60 << 20


def test_a_machine_that_is_slow_at_giving_memory_delays_no_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    """What was left is touched the next time."""
    table = Table(64)
    monkeypatch.setattr(search_table, "READY_SECONDS", 0.0)
    table.get_ready(2, bool)
    assert table.touched_megabytes() == 0
    monkeypatch.setattr(search_table, "READY_SECONDS", PATIENCE)
    table.get_ready(2, lambda: True)
    assert table.touched_megabytes() == 0
    table.get_ready(2, bool)
    assert table.touched_megabytes() == 64
