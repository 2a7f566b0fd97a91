"""The signature: one number for a search, the same in every run."""

from __future__ import annotations

import os
import re
import subprocess
import sys

import pytest

from quietmove.engine.games.base import Game
from quietmove.engine.tools import bench

DEPTH = 5


def test_the_positions_are_those_of_a_whole_game(othello: Game) -> None:
    positions = [othello.parse_position(text.split()) for text in bench.POSITIONS]
    assert len(set(bench.POSITIONS)) == len(positions)
    assert not any(position.is_over() for position in positions)
    assert othello.format_position(othello.initial()) == bench.POSITIONS[0]
    empties = [position.moves_left() for position in positions]
    assert empties == sorted(empties, reverse=True)
    assert max(empties) == 60
    assert min(empties) < 12


@pytest.mark.parametrize(
    "environment",
    [{"QUIETMOVE_CPU": "plain"}, {"QUIETMOVE_CPU": "v3"}, {"PYTHONHASHSEED": "1"}, {"PYTHONHASHSEED": "2"}],
)
def test_the_command_prints_the_signature_whatever_the_machine(environment: dict[str, str]) -> None:
    command = [sys.executable, "-m", "quietmove", "bench", "--depth", str(DEPTH)]
    done = subprocess.run(
        command, env={**os.environ, **environment}, capture_output=True, check=True, text=True, timeout=120
    )
    first, last = done.stdout.splitlines()
    nodes, _ = bench.run(DEPTH)
    assert re.fullmatch(rf"{nodes} nodes, \d+ nodes a second", first)
    assert last == f"Bench: {nodes}"
