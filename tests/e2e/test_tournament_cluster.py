"""The same tournament on a Dask cluster of two worker processes on this machine."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import distributed
import pytest

SOURCE = Path(__file__).parents[2]
PATIENCE = 240.0
CONFIG = """
name = "ours"
rounds = 1
[defaults]
limit = "nodes=60"
options = { Hash = 1 }
[[engine]]
name = "full"
[[engine]]
name = "none"
options = { Ordering = "none" }
[[engine]]
name = "quiet"
options = { Quiescence = true }
"""


@pytest.fixture
def cluster(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    monkeypatch.setenv("PYTHONPATH", str(SOURCE))
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, host="127.0.0.1", scheduler_port=0, dashboard_address=None
    ) as made:
        yield made


def run(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "quietmove.tournament", *arguments],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(SOURCE)},
        capture_output=True,
        text=True,
        timeout=PATIENCE,
    )


def moves(folder: Path, store: str) -> list[list[str]]:
    lines = run(folder, "games", store, "--json").stdout.splitlines()
    return [[move["move"] for move in json.loads(line)["moves"]] for line in lines]


@pytest.mark.slow
@pytest.mark.filterwarnings("default")  # what Dask warns of is not ours to mend
def test_a_cluster_plays_the_same_games(tmp_path: Path, cluster: Any) -> None:
    (tmp_path / "ours.toml").write_text(CONFIG)
    here = run(tmp_path, "run", "ours.toml", "--store", "here.sqlite")
    there = run(tmp_path, "run", "ours.toml", "--store", "there.sqlite", "--cluster", cluster.scheduler_address)
    assert here.returncode == 0, here.stderr
    assert there.returncode == 0, there.stderr
    assert len(moves(tmp_path, "here.sqlite")) == 6
    assert moves(tmp_path, "here.sqlite") == moves(tmp_path, "there.sqlite")


def test_a_scheduler_that_is_not_there_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DASK_DISTRIBUTED__COMM__TIMEOUTS__CONNECT", "1s")
    (tmp_path / "ours.toml").write_text(CONFIG)
    done = run(tmp_path, "run", "ours.toml", "--cluster", "tcp://127.0.0.1:1")
    assert done.returncode == 2
    assert "error: --cluster: no scheduler answers at tcp://127.0.0.1:1" in done.stderr
    assert "Traceback" not in done.stderr
