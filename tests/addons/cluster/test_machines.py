"""A scheduler and two workers on addresses of their own, as on three machines; they stand still and are killed."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from pathlib import Path

import psutil
import pytest

from quietmove.addons.cluster import cluster
from quietmove.addons.cluster.cluster import connected
from quietmove.referee.process.shortage import ignore_notice
from quietmove.tournament.errors import ClusterError
from quietmove.tournament.playing.backends import Threads
from quietmove.tournament.playing.missing_games import play_missing
from quietmove.tournament.store.store import Store
from tests.addons.cluster.test_cluster_run import PATIENCE, SOURCE, play, tournament, waiting_engines
from tests.fakes.processes import wait_until

Machines = tuple[str, subprocess.Popen[bytes], list[subprocess.Popen[bytes]]]


@pytest.fixture
def machines(tmp_path: Path) -> Iterator[Machines]:
    """The scheduler's address, its process, and two workers without nannies."""
    with started_machines(tmp_path) as made:
        yield made


@contextmanager
def started_machines(tmp_path: Path, **variables: str) -> Iterator[Machines]:
    found = tmp_path / "scheduler.json"
    words = ("--no-dashboard", "--scheduler-file", str(found))
    environment = {**os.environ, "PYTHONPATH": str(SOURCE), **variables}
    with ExitStack() as started:

        def start(program: str, *arguments: str) -> subprocess.Popen[bytes]:
            process = started.enter_context(
                subprocess.Popen(
                    [sys.executable, "-m", f"distributed.cli.dask_{program}", *words, *arguments],
                    env=environment,
                    stdout=subprocess.DEVNULL,
                    stderr=subprocess.DEVNULL,
                )
            )
            started.callback(process.kill)
            return process

        scheduler = start("scheduler", "--host", "127.0.0.1", "--port", "0")
        worker = ("--no-nanny", "--nthreads", "1", "--memory-limit", "0")
        workers = [start("worker", *worker, "--host", f"127.0.0.{number}") for number in (2, 3)]
        wait_until(lambda: found.exists() and re.search('"address": "[^"]+"', found.read_text()))
        yield found.read_text().partition('"address": "')[2].partition('"')[0], scheduler, workers


@pytest.mark.soak
def test_a_link_that_is_cut_and_a_scheduler_that_is_killed_lose_no_game(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, machines: Machines
) -> None:
    """Two tournaments share the workers; one worker stands still until it was given up, and then goes on."""
    monkeypatch.setattr(cluster, "SILENT_SECONDS", 3.0)
    address, scheduler, workers = machines
    gate, closed = tmp_path / "gate", tmp_path / "closed"
    gate.mkdir()
    closed.mkdir()
    notices: list[str] = []
    with (
        ThreadPoolExecutor(2) as executor,
        connected(address, None, ignore_notice) as one,
        connected(address, None, ignore_notice) as other,
    ):
        wait_until(lambda: one.size(None) == other.size(None) == 2)
        places = [(tmp_path / "one.sqlite", one), (tmp_path / "other.sqlite", other)]
        try:
            played = [executor.submit(play, path, gate, place, notices.append) for path, place in places]
            wait_until(lambda: len(waiting_engines(gate)) >= 2)
            cut = psutil.Process(workers[1].pid)
            cut.suspend()
            wait_until(lambda: any("no heartbeat for 3 s" in notice for notice in notices))
            cut.resume()
        finally:
            (gate / "open").touch()
        there = [each.result(PATIENCE) for each in played]
        stopped = executor.submit(play, tmp_path / "killed.sqlite", closed, one)
        wait_until(lambda: waiting_engines(closed))
        scheduler.send_signal(signal.SIGKILL)
        # either the next poll of the scheduler fails or Dask cancels the tasks first
        with pytest.raises(ClusterError, match=r"scheduler at .* is gone|scheduler has stopped or cannot be reached"):
            stopped.result(PATIENCE)
    (closed / "open").touch()
    here = play(tmp_path / "here.sqlite", gate, Threads())
    assert len(here) == 6
    assert there == [here, here]
    with (
        Store.open_to_write(tmp_path / "killed.sqlite") as store,
        Threads().pool(tournament(closed), ignore_notice) as pool,
    ):
        for _ in play_missing(store, pool):
            pass
        assert [tuple(move.move for move in record.moves) for _, record in store.games()] == here


@pytest.mark.soak
def test_a_cluster_is_secured_as_the_guide_says(tmp_path: Path) -> None:
    guide = (SOURCE / "addons" / "cluster" / "README.md").read_text()
    (command,) = (line for line in guide.splitlines() if line.startswith("openssl "))
    subprocess.run(command.split(), cwd=tmp_path, check=True, capture_output=True)
    text = guide.partition("```yaml\n")[2].partition("```")[0]
    (tmp_path / "tls.yaml").write_text(text.replace("/etc/quietmove", str(tmp_path)))
    run = [sys.executable, "-m", "quietmove.tournament", "run", "--dry-run", "--cluster"]
    knows = {"DASK_CONFIG": str(tmp_path / "tls.yaml")}
    environment = {**os.environ, "PYTHONPATH": str(SOURCE)}
    with started_machines(tmp_path, **knows) as (address, _, _):
        assert address.startswith("tls://")
        let_in = subprocess.run([*run, address], env={**environment, **knows}, capture_output=True, text=True)
        plain = address.replace("tls", "tcp")
        refused = [
            subprocess.run([*run, each], env=environment, capture_output=True, text=True) for each in (address, plain)
        ]
    assert (let_in.returncode, "at once" in let_in.stdout) == (0, True), let_in.stderr
    for each in refused:
        assert each.returncode == 2
        assert each.stderr.startswith("error: --cluster: no scheduler answers at ")
        assert each.stderr.count("\n") == 1
