"""An engine that runs uncompiled says so; a compiled one has nothing to say."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from quietmove.engine.games import base

COMPILED = not str(base.__file__).endswith(".py")
WAIT = 240  # seconds after which a process that has not ended fails the test


def run(arguments: list[str], cwd: Path, first_path: Path | None) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": str(first_path)} if first_path else dict(os.environ)
    command = [sys.executable, *arguments]
    return subprocess.run(
        command, cwd=cwd, env=environment, input="quit\n", capture_output=True, check=True, text=True, timeout=WAIT
    )


def test_an_uncompiled_engine_says_so_at_every_start(uncompiled: Path, tmp_path: Path) -> None:
    for arguments in (["-m", "quietmove"], ["-m", "quietmove", "perft", "1"], ["-m", "quietmove.referee", "--help"]):
        said = run(arguments, tmp_path, uncompiled).stderr
        assert said.count("\n") == 1
        assert "uncompiled" in said


@pytest.mark.skipif(not COMPILED, reason="the engine is installed uncompiled")
def test_a_compiled_engine_says_nothing(tmp_path: Path) -> None:
    assert run(["-m", "quietmove", "perft", "1"], tmp_path, None).stderr == ""
