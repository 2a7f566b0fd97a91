"""The transposition table, by its source: what goes in comes out, and what has to make room.

The compiled table shows its inner methods to compiled code alone; the twins compare searches through either of them.
"""

from __future__ import annotations

import importlib.util
import mmap
from pathlib import Path
from typing import Any

import pytest

from quietmove.engine.search import table as search_table

ROOT = Path(__file__).parents[4]
STATUS = Path("/proc/self/statm")
BUCKETS = (1 << 20) // 64  # of one megabyte


class Uncompiled:
    """The source of the table, run as it is."""

    def __init__(self) -> None:
        spec = importlib.util.spec_from_file_location("uncompiled_table", ROOT / "engine" / "search" / "table.py")
        assert spec is not None
        assert spec.loader is not None
        module: Any = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        self.Table, self.EXACT, self.LOWER, self.UPPER = module.Table, module.EXACT, module.LOWER, module.UPPER
        self.score_of, self.move_of = module.score_of, module.move_of
        self.depth_of, self.bound_of = module.depth_of, module.bound_of
        self.selectivity_of = module.selectivity_of

    def probe(self, table: Any, key: int) -> int:
        return int(table.probe(key))

    def store(self, table: Any, *entry: int, selectivity: int = 0) -> None:
        table.store(*entry, selectivity)


@pytest.fixture
def build() -> Any:
    return Uncompiled()


def entry(build: Any, data: int) -> tuple[int, int, int, int]:
    return build.depth_of(data), build.bound_of(data), build.score_of(data), build.move_of(data)


def test_what_is_stored_is_found(build: Any) -> None:
    table = build.Table(1)
    key = 0xFEDC_BA98_7654_3210
    for depth in (0, 1, 60, 254, 255):
        for bound in (build.EXACT, build.LOWER, build.UPPER):
            for score in (-32768, -32767, -6400, -1, 0, 1, 6400, 32000, 32767):
                for move in (0, 1, 64, 4095, 65535):
                    table.clear()
                    table.new_search()
                    build.store(table, key, depth, bound, score, move)
                    assert entry(build, build.probe(table, key)) == (depth, bound, score, move)


def test_the_selectivity_is_kept_beside_the_rest(build: Any) -> None:
    table = build.Table(1)
    for _ in range(63):  # the largest generation, in the bits beside it
        table.new_search()
    for selectivity in (0, 1, 5, 7):
        build.store(table, 12, 255, build.UPPER, 32767, 65535, selectivity=selectivity)
        data = build.probe(table, 12)
        assert build.selectivity_of(data) == selectivity
        assert entry(build, data) == (255, build.UPPER, 32767, 65535)
    assert table.hashfull() == 1
    in_sample = build.Table(1)
    build.store(in_sample, 1, 3, build.EXACT, 0, 0, selectivity=7)
    assert in_sample.hashfull() == 1


def test_other_positions_are_not_found(build: Any) -> None:
    table = build.Table(1)
    for key in (0, 1, 1 << 63, (1 << 64) - 1):
        assert build.probe(table, key) == 0
    build.store(table, 5, 3, build.EXACT, 100, 7)
    for other in (5 + BUCKETS, 5 ^ 1 << 63, 0, 4, 6):  # the first two share its bucket
        assert build.probe(table, other) == 0
    build.store(table, 0, 0, build.EXACT, -32768, 0)  # every field as near to zero as may be
    assert entry(build, build.probe(table, 0)) == (0, build.EXACT, -32768, 0)
    table.clear()
    assert build.probe(table, 5) == build.probe(table, 0) == 0


def test_the_same_position_is_overwritten(build: Any) -> None:
    table = build.Table(1)
    for number in range(4):
        build.store(table, 9 + number * BUCKETS, 20, build.EXACT, number, 0)
    build.store(table, 9 + BUCKETS, 2, build.LOWER, -5, 1)
    assert entry(build, build.probe(table, 9 + BUCKETS)) == (2, build.LOWER, -5, 1)
    for number in (0, 2, 3):
        assert build.score_of(build.probe(table, 9 + number * BUCKETS)) == number


def test_the_shallowest_entry_of_a_full_bucket_is_replaced(build: Any) -> None:
    for order in ((1, 7, 3, 9), (9, 3, 7, 1), (3, 9, 1, 7)):
        table = build.Table(1)
        for depth in order:
            build.store(table, 40 + depth * BUCKETS, depth, build.EXACT, depth, 0)
        build.store(table, 40 + 100 * BUCKETS, 2, build.EXACT, 100, 0)
        kept = [depth for depth in (1, 3, 7, 9, 100) if build.probe(table, 40 + depth * BUCKETS)]
        assert kept == [3, 7, 9, 100]


@pytest.mark.parametrize(
    ("old", "searches", "young", "old_stays"),
    [(10, 1, 3, False), (10, 1, 1, True), (20, 2, 5, False), (20, 2, 3, True), (255, 31, 6, True), (255, 31, 8, False)],
)
def test_eight_plies_are_worth_one_search(build: Any, old: int, searches: int, young: int, old_stays: bool) -> None:
    table = build.Table(1)
    build.store(table, 77, old, build.EXACT, 0, 0)
    for _ in range(searches):
        table.new_search()
    for number in (1, 2, 3):
        build.store(table, 77 + number * BUCKETS, young, build.EXACT, 0, 0)
    build.store(table, 77 + 4 * BUCKETS, 0, build.EXACT, 0, 0)
    found = [bool(build.probe(table, 77 + number * BUCKETS)) for number in range(5)]
    assert found == ([True, False, True, True, True] if old_stays else [False, True, True, True, True])


def test_the_generations_go_round(build: Any) -> None:
    """After 64 searches the count begins again; an entry just written is never taken for an old one."""
    table = build.Table(1)
    for search in range(200):
        table.new_search()
        for number in range(4):
            build.store(table, 3 + number * BUCKETS, 10, build.EXACT, search, 0)
        build.store(table, 3 + (4 + search) * BUCKETS, 9, build.EXACT, search, 0)
        assert build.score_of(build.probe(table, 3 + (4 + search) * BUCKETS)) == search
        assert table.hashfull() <= 1000


def test_hashfull_counts_what_this_search_wrote(build: Any) -> None:
    table = build.Table(1)
    assert table.hashfull() == 0
    table.new_search()
    for bucket in range(250):
        build.store(table, bucket, 5, build.LOWER, 0, 1)
    assert table.hashfull() == 250  # one in four of the thousand slots that are looked at
    table.new_search()
    assert table.hashfull() == 0
    for bucket in range(250):
        for number in range(4):
            build.store(table, bucket + number * BUCKETS, 5, build.LOWER, 0, 1)
    assert table.hashfull() == 1000
    table.clear()
    assert table.hashfull() == 0


def test_a_table_that_forgets_is_as_an_empty_one(build: Any) -> None:
    """What it forgot is not found, counts as no entry, and makes room in the order of the places."""
    table, empty = build.Table(1), build.Table(1)
    for searches in range(3):
        for number in range(4):
            build.store(table, 7 + number * BUCKETS, 200, build.EXACT, number, 0)
        table.new_search()
        table.forget()
        assert table.hashfull() == 0
        assert not any(build.probe(table, 7 + number * BUCKETS) for number in range(4))
        for depth in (3, 1, 2, 9, 4):
            for each in (table, empty):
                build.store(each, 7 + depth * BUCKETS, depth, build.EXACT, searches, 0)
        found = [[bool(build.probe(each, 7 + depth * BUCKETS)) for depth in range(10)] for each in (table, empty)]
        assert found[0] == found[1]
        assert sum(found[0]) == 4
        empty.clear()
        table.forget()


def test_the_epochs_go_round(build: Any) -> None:
    table = build.Table(1)
    build.store(table, 7, 200, build.EXACT, 0, 0)
    for _ in range(3 * 8192):
        table.forget()
        assert build.probe(table, 7) == 0


@pytest.mark.parametrize(("megabytes", "buckets"), [(1, 1 << 14), (2, 1 << 15), (3, 1 << 15), (4, 1 << 16)])
def test_the_size_is_the_power_of_two_that_fits(build: Any, megabytes: int, buckets: int) -> None:
    table = build.Table(megabytes)
    assert table.megabytes == megabytes
    for number in range(4):
        build.store(table, 1 + number * buckets, 1, build.EXACT, 0, 0)
    build.store(table, 1 + buckets // 2, 1, build.EXACT, 0, 0)  # of another bucket: nothing has to make room
    assert all(build.probe(table, 1 + number * buckets) for number in range(4))
    build.store(table, 1 + 4 * buckets, 1, build.EXACT, 0, 0)  # of the same
    assert not all(build.probe(table, 1 + number * buckets) for number in range(4))


@pytest.mark.skipif(not STATUS.exists(), reason="this system does not say how much memory a process uses")
def test_a_table_takes_memory_only_where_it_is_used(build: Any) -> None:
    """A program that starts with a large table starts no later, and one that empties it gives the memory back."""
    before = resident()
    table = build.Table(128)
    assert resident() - before < 16 << 20
    for bucket in range(0, 128 * BUCKETS, 64):  # one in each small page
        build.store(table, bucket, 1, build.EXACT, 0, 0)
    assert resident() - before > 100 << 20
    table.clear()
    assert resident() - before < 16 << 20


def resident() -> int:
    """Return the bytes of memory that this process uses."""
    return int(STATUS.read_text(encoding="ascii").split()[1]) * mmap.PAGESIZE


@pytest.mark.parametrize("megabytes", [0, -1])
def test_a_table_has_a_megabyte_at_least(build: Any, megabytes: int) -> None:
    with pytest.raises(ValueError, match=rf"must be at least 1 MB, not {megabytes}"):
        build.Table(megabytes)


@pytest.mark.parametrize("threads", [1, 3])
def test_a_large_table_has_all_its_memory_before_a_search(threads: int) -> None:
    table = search_table.Table(64)
    before = resident()
    table.get_ready(threads, bool)
    assert resident() - before > 60 << 20
    table.forget()
    assert resident() - before > 60 << 20


def test_a_machine_that_is_slow_at_giving_memory_delays_no_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    """What was left is touched the next time."""
    table = search_table.Table(64)
    with monkeypatch.context() as patch:
        patch.setattr(search_table, "READY_SECONDS", 0.0)
        table.get_ready(2, bool)
    assert table.touched_megabytes() == 0
    table.get_ready(2, lambda: True)
    assert table.touched_megabytes() == 0
    table.get_ready(2, bool)
    assert table.touched_megabytes() == 64
