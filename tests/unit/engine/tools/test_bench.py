"""The signature: one number for a search, the same in every run."""

from __future__ import annotations

import os
import re
import subprocess
import sys

import pytest

from quietmove.engine.games.base import Game
from quietmove.engine.tools import bench
from quietmove.engine.values import Settings

DEPTH = 5


def test_the_signature_is_stable() -> None:
    first, second = bench.run(DEPTH), bench.run(DEPTH)
    assert first.nodes == second.nodes > 1000
    assert first.seconds > 0
    assert first.nodes_per_second == pytest.approx(first.nodes / first.seconds, rel=0.01)


def test_the_signature_tells_searches_apart() -> None:
    searches = [Settings(), Settings("alphabeta"), Settings(ordering="none"), Settings(quiescence=True)]
    assert len({bench.run(DEPTH, settings).nodes for settings in searches}) == len(searches)
    assert bench.run(DEPTH).nodes == bench.run(DEPTH, Settings()).nodes
    assert bench.run(DEPTH - 1).nodes < bench.run(DEPTH).nodes
    assert bench.run(DEPTH, positions=bench.POSITIONS[:3]).nodes < bench.run(DEPTH).nodes


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
    nodes = bench.run(DEPTH).nodes
    assert re.fullmatch(rf"{nodes} nodes, \d+ nodes a second", first)
    assert last == f"Bench: {nodes}"
