"""The table of wanted runs, which several threads and processes use at once."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

from quietmove.addons.web.database import HALL_FILE, open_hall, transaction
from quietmove.addons.web.runs import Runs
from tests.fakes.schemas import check_refusals

THREADS = 4


def test_several_may_begin_the_database_of_a_folder_at_once(tmp_path: Path) -> None:
    for number in range(10):
        folder, start = tmp_path / str(number), threading.Barrier(THREADS)
        folder.mkdir()

        def want(store: int, folder: Path = folder, start: threading.Barrier = start) -> None:
            start.wait()
            Runs(folder).want(f"{store}.sqlite", "running")

        with ThreadPoolExecutor(THREADS) as pool:
            list(pool.map(want, range(THREADS)))
        assert set(Runs(folder).wanted()) == {f"{store}.sqlite" for store in range(THREADS)}


def test_who_looks_waits_for_nobody_who_writes(tmp_path: Path) -> None:
    runs = Runs(tmp_path)
    runs.want("cup.sqlite", "running")
    with transaction(open_hall(tmp_path)):
        assert list(runs.wanted()) == ["cup.sqlite"]


def test_a_table_with_another_schema_is_refused(tmp_path: Path) -> None:
    check_refusals(
        tmp_path,
        HALL_FILE,
        "person",
        lambda path: closing(open_hall(path.parent, make=True)),
        lambda path: closing(open_hall(path.parent)),
    )
