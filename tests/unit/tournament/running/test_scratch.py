"""The folder of the workers: what a killed run has left is removed, and nothing else."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from quietmove.tournament.running.scratch import OWNER, PREFIX, scratch_folder

if TYPE_CHECKING:
    import pytest

KILLED = """
import os, signal, sys, tempfile
from quietmove.tournament.running.scratch import scratch_folder
tempfile.tempdir = sys.argv[1]
with scratch_folder() as folder:
    open(folder + "/file", "w").close()
    os.kill(os.getpid(), signal.SIGKILL)
"""


def test_what_a_killed_run_has_left_is_removed_by_the_next(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    subprocess.run([sys.executable, "-c", KILLED, str(tmp_path)], timeout=120, check=False)
    (left,) = tmp_path.iterdir()
    assert (left / "file").exists()
    others = [tmp_path / f"{PREFIX}another", tmp_path / "quietmove-other"]
    for other in others:
        other.mkdir()
    (others[1] / OWNER).touch()
    with scratch_folder() as running, scratch_folder() as folder:
        assert {*tmp_path.iterdir()} == {Path(running), Path(folder), *others}
    assert {*tmp_path.iterdir()} == {*others}
