"""The benchmarks of the referee and of the coordinator."""

from __future__ import annotations

import json
import multiprocessing
import os
import signal
import subprocess
import sys

import pytest

from quietmove.addons.measure.referee_bench import Report, WorkerResources, measure
from quietmove.engine.errors import WorkerError
from quietmove.tournament.cli import run_command_line


def test_a_benchmark_plays_and_stores_every_game(capsys: pytest.CaptureFixture[str]) -> None:
    assert run_command_line(["bench", "--games", "20", "--workers", "1"]) == 0
    assert capsys.readouterr().out.startswith("20 games, 1 at once: ")
    assert run_command_line(["bench", "--games", "20", "--workers", "64", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["games"], found["workers"]) == (20, 64)
    assert found.keys() == {"games", "workers", "games_per_second", "cpu_ms_per_game", "memory_mb"}


def test_what_grows_after_the_first_games_is_told() -> None:
    megabytes = 1 << 20
    report = Report(
        "process", settled={1: WorkerResources(50 * megabytes, 10, 3)}, last={1: WorkerResources(54 * megabytes, 10, 3)}
    )
    assert report.faults == []
    report.last[1] = WorkerResources(60 * megabytes, 11, 3)
    assert report.faults == ["memory grew from 50 to 60 MB", "handles grew from 10 to 11"]


def test_the_benchmark_plays_and_leaves_no_process() -> None:
    command = [sys.executable, "-m", "quietmove.referee", "bench", "overhead", "--games", "60", "--json"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert (done.returncode, done.stderr) == (0, "")  # returns once the last worker has closed its output
    values = json.loads(done.stdout)
    assert (values["kind"], values["games"], values["verdicts"], values["faults"]) == (
        "overhead",
        60,
        {"finished": 60},
        [],
    )
    assert values["moves"] > 60 * 50


def test_a_process_of_the_benchmark_that_is_killed_is_one_error() -> None:
    def kill(report: Report) -> None:
        for process in multiprocessing.active_children():
            os.kill(process.pid or 0, signal.SIGKILL)

    with pytest.raises(WorkerError, match="a worker process ended early"):
        measure("overhead", 10_000, 1, 1, kill)
    assert not multiprocessing.active_children()
