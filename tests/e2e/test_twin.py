"""The compiled modules and the same files as plain Python: the same moves, values, lines and node counts.

Each script of the folder ``twins`` runs in both builds and prints what it computes, row by row.
"""

from __future__ import annotations

import functools
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from quietmove.engine.games import base

ROOT = Path(__file__).parents[2]
TWINS = Path(__file__).parent / "twins"
COMPILED = not str(base.__file__).endswith(".py")
WAIT = 240  # seconds after which a process that has not ended fails the test
LEAST = {
    "every_game": 700,
    "othello": 250,
    "chance_and_hidden": 14,
    "mcts": 30,
    "training": 80,
}  # rows of each script

pytestmark = pytest.mark.skipif(not COMPILED, reason="the engine is installed uncompiled: it has no twin to compare")


@pytest.fixture(scope="module")
def hot() -> set[str]:
    """The names of the compiled modules."""
    sources = [path.with_suffix(".py") for path in (ROOT / "engine").rglob("*.pxd")]
    return {".".join(("quietmove", *path.relative_to(ROOT).with_suffix("").parts)) for path in sources if path.exists()}


@functools.cache
def run(script: str, first_path: Path | None) -> tuple[dict[str, str], dict[str, Any]]:
    """Run a script; return the file of each module it imported, and its rows."""
    environment = {**os.environ, "PYTHONPATH": str(first_path)} if first_path else None
    done = subprocess.run(
        [sys.executable, "-W", "ignore", TWINS / f"{script}.py"],
        cwd=TWINS,  # where no package can be found that is not installed
        env=environment,
        capture_output=True,
        text=True,
        timeout=WAIT,
    )
    assert done.returncode == 0, done.stderr
    files, rows = json.loads(done.stdout)
    return files, rows


def test_every_script_is_run() -> None:
    assert {path.stem for path in TWINS.glob("*.py")} == {*LEAST, "shared"}


def test_no_compiled_module_is_left_out(hot: set[str]) -> None:
    imported = {name for script in LEAST for name in run(script, None)[0]}
    assert hot - imported == set()


@pytest.mark.parametrize("script", LEAST)
def test_both_builds_compute_the_same(script: str, uncompiled: Path, hot: set[str]) -> None:
    (plain_files, plain), (compiled_files, compiled) = run(script, uncompiled), run(script, None)
    assert all(Path(file).suffix == ".py" and uncompiled in Path(file).parents for file in plain_files.values())
    assert not [name for name in hot & compiled_files.keys() if compiled_files[name].endswith(".py")]
    assert plain.keys() == compiled.keys()
    assert {name: (row, compiled[name]) for name, row in plain.items() if row != compiled[name]} == {}
    assert len(plain) >= LEAST[script]
