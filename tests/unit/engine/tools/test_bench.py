"""The signature: one number for a search, the same in every run."""

from __future__ import annotations

import os
import re
import subprocess
import sys

import pytest
from click.testing import CliRunner

from quietmove.engine.tools import bench
from quietmove.engine.values import Settings
from tests.fakes.processes import WAIT

DEPTH = 5


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


def test_a_second_line_tells_the_speed_as_in_games() -> None:
    signature, played, last = CliRunner().invoke(bench.bench, []).output.splitlines()
    nodes, _ = bench.run(17, Settings(selectivity=5))
    assert re.fullmatch(rf"{nodes} nodes, \d+ nodes a second as in games, at Selectivity 5 to depth 17", played)
    assert int(last.removeprefix("Bench: ")) == int(signature.split()[0]) != nodes
