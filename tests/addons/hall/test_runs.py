"""The process that plays a class: on a full disk, and while the ladder rests."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from quietmove.addons.hall import player
from quietmove.addons.hall.player import LADDER, ClassRunner
from quietmove.addons.web.runs import Runs
from quietmove.referee.process import sandbox
from tests.addons.hall.class_programs import random_player
from tests.addons.hall.classes import add_passed, make_class
from tests.fakes.processes import WAIT, wait_until

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
    return runs.requested()[LADDER]


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


@pytest.mark.skipif(bool(sandbox.missing_requirement()), reason=sandbox.missing_requirement())
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


def test_a_deleted_final_holds_nothing_up(tmp_path: Path) -> None:
    make_class(tmp_path / "course", ["p00"])
    runs = Runs(tmp_path / "course")
    runs.want("final-1.sqlite", "running")
    ClassRunner(runs.folder, threading.Event()).play()
    assert runs.requested()["final-1.sqlite"].wanted == "over"


def test_a_resting_ladder_is_planned_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder, ending = tmp_path / "course", threading.Event()
    make_class(folder, ["p00"], "anchors = [1]\n")
    planned, looked, play, look = list[object](), list[object](), player.play_missing, player.read_settings

    def count_plans(*words: Any) -> Iterator[Any]:
        planned.append(words)
        return play(*words)

    def count_looks(place: Path) -> Any:
        looked.append(place)
        return look(place)

    monkeypatch.setattr(player, "play_missing", count_plans)
    monkeypatch.setattr(player, "read_settings", count_looks)
    monkeypatch.setattr(player, "LOOK_SECONDS", 0.01)
    Runs(folder).want(LADDER, "running")
    runner = threading.Thread(target=ClassRunner(folder, ending).play)
    runner.start()
    wait_until(lambda: len(looked) > 10)
    ending.set()
    runner.join()
    assert len(planned) == 1
