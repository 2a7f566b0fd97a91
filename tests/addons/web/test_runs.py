"""The table of wanted runs, which several threads and processes use at once."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import pytest

from quietmove.addons.web.database import HALL_FILE, open_hall, transaction
from quietmove.addons.web.runs import Runs
from quietmove.engine.common.processes import Process
from quietmove.tournament.playing.snapshot import announce, snapshot_path
from quietmove.tournament.store.store import Store
from tests.fakes.processes import WAIT
from tests.fakes.schemas import check_refusals
from tests.fakes.tournament_store import a_tournament, write_games

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
        assert set(Runs(folder).requested()) == {f"{store}.sqlite" for store in range(THREADS)}


def test_a_run_that_is_requested_again_keeps_its_place(tmp_path: Path) -> None:
    runs = Runs(tmp_path)
    for store in ("one", "two", "three", "one"):
        runs.want(store, "running")
    assert list(runs.requested()) == ["one", "two", "three"]
    runs.want("one", "stopped")
    runs.want("one", "running")
    assert list(runs.requested()) == ["two", "three", "one"]
    runs.want("three", "running", first=True)
    assert list(runs.requested()) == ["three", "two", "one"]


def test_who_looks_waits_for_nobody_who_writes(tmp_path: Path) -> None:
    runs = Runs(tmp_path)
    runs.want("cup.sqlite", "running")
    with transaction(open_hall(tmp_path)):
        assert list(runs.requested()) == ["cup.sqlite"]


def test_a_link_in_place_of_the_lock_makes_no_file(tmp_path: Path) -> None:
    (tmp_path / "hall.lock").symlink_to(tmp_path / "elsewhere")
    runs = Runs(tmp_path)
    runs.want("cup.sqlite", "running")
    with pytest.raises(OSError, match="symbolic links"):
        runs.look()
    assert not (tmp_path / "elsewhere").exists()


@pytest.mark.skipif(os.getuid() != 0, reason="only root may give a file away")
def test_a_file_of_somebody_else_chooses_no_process_to_be_ended(tmp_path: Path) -> None:
    victim = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    (tmp_path / "cup.sqlite").touch()
    announce(tmp_path / "cup.sqlite", Process.of(victim.pid))
    os.chown(snapshot_path(tmp_path / "cup.sqlite"), 65534, 65534)
    runs = Runs(tmp_path)
    runs.want("cup.sqlite", "stopped")
    runs.look()
    runs.stop_now("cup.sqlite")
    victim.communicate(b"\n", timeout=WAIT)
    assert victim.returncode == 0


def test_a_run_that_finished_while_no_server_ran_is_over_and_not_started_again(tmp_path: Path) -> None:
    tournament = a_tournament("cup", ("a", "b"))
    runs = Runs(tmp_path)
    runs.want("cup.sqlite", "running")
    with Store.create(tmp_path / "cup.sqlite", tournament) as store:
        write_games(store, 2)
    runs.look()
    assert runs.playing() == set()
    assert runs.requested()["cup.sqlite"].wanted == "over"


FINISHING = """
from quietmove.tournament.playing.commands import interrupts
with interrupts(lambda text: print("stopping", flush=True)):
    print("playing", flush=True)
    input()
    print("finished")
"""


def test_a_server_that_is_restarted_lets_a_run_that_is_stopping_finish_its_games(tmp_path: Path) -> None:
    (tmp_path / "cup.sqlite").touch()
    player = subprocess.Popen([sys.executable, "-c", FINISHING], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert player.stdout is not None
    assert player.stdout.readline() == b"playing\n"
    announce(tmp_path / "cup.sqlite", Process.of(player.pid))
    before, after = Runs(tmp_path), Runs(tmp_path)
    before.want("cup.sqlite", "stopped")
    before.look()
    assert player.stdout.readline() == b"stopping\n"
    after._lock = before._lock  # the kernel releases it when a server ends
    after.look()
    assert player.communicate(b"\n", timeout=WAIT)[0] == b"finished\n"


def test_a_table_with_another_schema_is_refused(tmp_path: Path) -> None:
    check_refusals(
        tmp_path,
        HALL_FILE,
        "person",
        lambda path: closing(open_hall(path.parent, make=True)),
        lambda path: closing(open_hall(path.parent)),
    )
