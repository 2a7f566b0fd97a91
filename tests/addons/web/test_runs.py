"""The table of wanted runs, which several threads and processes use at once."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from quietmove.addons.web.database import open_hall, transaction
from quietmove.addons.web.runs import Runs
from quietmove.engine.common.processes import Process
from quietmove.referee.process import sandbox
from quietmove.tournament.playing.snapshot import announce, snapshot_path
from tests.fakes.class_programs import random_player
from tests.fakes.classes import add_passed, make_class
from tests.fakes.processes import WAIT

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


FULL_DISK = """
import atexit, json, resource, sys, psutil
from contextlib import suppress
from pathlib import Path
from quietmove.tournament.errors import StoreError
from quietmove.addons.web.database import open_hall
from quietmove.addons.hall.player import LADDER, ClassRuns
from quietmove.tournament.playing.snapshot import player_of
from tests.fakes.processes import wait_until

folder, runs = Path(sys.argv[1]), ClassRuns(Path(sys.argv[1]))
server = open_hall(folder)  # it is open all the time
runs.want(LADDER, "running")
atexit.register(lambda: [each.kill() for each in psutil.Process().children()])


def look():
    with suppress(StoreError, OSError):
        runs.look()
    return runs.wanted()[LADDER]


def files_may_have(size):
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, resource.RLIM_INFINITY))


files_may_have(0)  # no process can write a byte, as on a full disk
for _ in range(10):
    look()
begun = len(psutil.Process().children())
files_may_have(200_000)  # the log of the store grows beyond that
wait_until(lambda: look().reason)
failed = look()
files_may_have(resource.RLIM_INFINITY)
runs.not_before = 0.0  # the half minute is over
wait_until(lambda: look() and player_of(folder / LADDER))
resumed = look()
runs.want(LADDER, "stopped")
wait_until(lambda: look() and not runs.playing())
print(json.dumps([begun, failed.wanted, failed.reason, resumed.wanted, resumed.reason]))
"""


@pytest.mark.skipif(bool(sandbox.refusal()), reason=sandbox.refusal())
def test_a_full_disk_begins_no_second_player_and_the_ladder_goes_on_when_there_is_room(tmp_path: Path) -> None:
    folder = tmp_path / "course"
    make_class(folder, ["p00", "p01"], 'limit = "depth=1"\n')
    for seed, name in enumerate(["p00", "p01"]):
        add_passed(folder, name, random_player(seed))
    done = subprocess.run(
        [sys.executable, "-c", FULL_DISK, str(folder)],
        cwd=Path(__file__).parents[3],
        capture_output=True,
        text=True,
        timeout=WAIT,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    begun, wanted, reason, wanted_then, reason_then = json.loads(done.stdout)
    assert begun == 0
    assert (wanted, wanted_then, reason_then) == ("running", "running", "")
    assert "ladder.sqlite" in reason
    assert "another process" not in reason
