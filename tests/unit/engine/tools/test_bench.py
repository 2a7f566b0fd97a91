"""The signature: one number for a search, the same in every run."""

from __future__ import annotations

import os
import re
import subprocess
import sys

import pytest
from click.testing import CliRunner

from quietmove.engine.tools import bench
from tests.fakes.processes import WAIT

DEPTH = 5
SIGNATURE, NODES_AS_PLAYED = 7_917_468, 2_611_842  # commits that change the search change these too


@pytest.mark.parametrize(
    "environment",
    [{"QUIETMOVE_CPU": "plain"}, {"QUIETMOVE_CPU": "v3"}, {"PYTHONHASHSEED": "1"}],
)
def test_the_command_prints_the_signature_whatever_the_machine(environment: dict[str, str]) -> None:
    command = [sys.executable, "-m", "quietmove", "bench", "--depth", str(DEPTH)]
    done = subprocess.run(
        command, env={**os.environ, **environment}, capture_output=True, check=True, text=True, timeout=WAIT
    )
    first, last = done.stdout.splitlines()
    nodes, _ = bench.run(DEPTH)
    assert re.fullmatch(rf"{nodes} nodes, \d+ nodes a second", first)
    assert last == f"Bench: {nodes}"


def test_the_signature_of_this_version_and_the_speed_as_in_games() -> None:
    signature, played, last = CliRunner().invoke(bench.bench, []).output.splitlines()
    assert re.fullmatch(rf"{SIGNATURE} nodes, \d+ nodes a second", signature)
    assert re.fullmatch(
        rf"{NODES_AS_PLAYED} nodes, \d+ nodes a second as in games, at Selectivity 5 to depth 17", played
    )
    assert last == f"Bench: {SIGNATURE}"
