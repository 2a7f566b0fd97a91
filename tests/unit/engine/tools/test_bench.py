"""The signature: one number for a search, the same in every run."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from click.testing import CliRunner

from quietmove.engine.tools.bench import bench
from tests.fakes.processes import run_module

# A commit that changes the search changes what `quietmove bench --depth 7` and `quietmove bench` print.
SHALLOW, SIGNATURE, NODES_AS_PLAYED = 210_456, 7_917_468, 2_613_128


def test_the_signature_of_a_shallow_search_is_the_same_in_every_process() -> None:
    first, last = CliRunner().invoke(bench, ["--depth", "7"]).output.splitlines()
    assert re.fullmatch(rf"{SHALLOW} nodes, \d+ nodes a second", first)
    assert last == f"Bench: {SHALLOW}"
    done = run_module(Path(), "quietmove", "bench", "--depth", "7", PYTHONHASHSEED="1")
    assert done.stdout.splitlines()[-1] == last


@pytest.mark.soak
def test_the_signature_of_this_version_and_the_speed_as_in_games() -> None:
    signature, played, last = CliRunner().invoke(bench, []).output.splitlines()
    assert re.fullmatch(rf"{SIGNATURE} nodes, \d+ nodes a second", signature)
    assert re.fullmatch(
        rf"{NODES_AS_PLAYED} nodes, \d+ nodes a second as in games, at Selectivity 5 to depth 17", played
    )
    assert last == f"Bench: {SIGNATURE}"
