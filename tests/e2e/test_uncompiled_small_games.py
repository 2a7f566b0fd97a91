"""The row and the heaps as plain Python: the same moves, keys, values and node counts as compiled."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from quietmove.engine.games import base

ROOT = Path(__file__).parents[2]
COMPILED = not str(base.__file__).endswith(".py")
WAIT = 240  # seconds after which a process that has not ended fails the test

SCRIPT = """
import json, random
from dataclasses import astuple, replace

from quietmove.engine.games import bit_tricks, capture, nim, subtraction
from quietmove.engine.games.base import get_game
from quietmove.engine.search.deepening import Deepening
from quietmove.engine.search.grundy import tree_value
from quietmove.engine.search.minimax import Minimax
from quietmove.engine.search.table import Table
from quietmove.engine.values import Limits, Settings

NAMES = (
    "capture", "capture XX-OX-OO", "capture XO" + "-" * 28 + "XO", "nim", "nim 0,7,2", "nim 64", "nim 9,9,9,9,9,9",
    "subtraction", "subtraction 250 64",
)

def searched(position, settings, limits, megabytes):
    search = Deepening(position, Table(megabytes) if megabytes else None, settings, limits)
    infos = [astuple(replace(info, time=0)) for info in search.iterations()]
    return [infos, astuple(replace(search.result(), time=0))]

rows = {}
for name in NAMES:
    game = get_game(name)
    for seed in range(3):
        choices, position = random.Random(seed), game.initial()
        for _ in range(4 * seed):
            if position.legal_moves():
                position.play(choices.choice(sorted(position.legal_moves())))
        rows[f"{name} {seed} facts"] = [
            game.format_position(position), position.key, position.legal_moves(), position.perft(2), position.result(),
            position.static_value(), position.moves_left(), Minimax(position).value(2), game.canonical(position),
        ]
        for algorithm, ordering, quiescence, megabytes in (
            ("pvs", "full", True, 1), ("pvs", "none", False, 0), ("alphabeta", "history", True, 0),
            ("minimax", "static", True, 1),
        ):
            settings = Settings(algorithm, ordering, quiescence)
            depth = 2 if algorithm == "minimax" else 3
            rows[f"{name} {seed} {settings}"] = searched(position, settings, Limits(depth=depth), megabytes)
        rows[f"{name} {seed} nodes"] = searched(position, Settings(), Limits(nodes=1000), 1)
for name in ("nim 1,2,3", "subtraction 12 3", "capture X-O"):
    rows[f"{name} solved"] = searched(get_game(name).initial(), Settings(), Limits(), 1)
rows["values"] = [tree_value(get_game(name).initial()) for name in ("nim 1,2,4", "subtraction 30 4")]
print(json.dumps([[module.__file__ for module in (capture, bit_tricks, nim, subtraction)], rows]))
"""


def run(cwd: Path, first_path: Path | None) -> tuple[list[str], dict[str, Any]]:
    environment = {**os.environ, "PYTHONPATH": str(first_path)} if first_path else dict(os.environ)
    process = subprocess.run(
        [sys.executable, "-c", SCRIPT], cwd=cwd, env=environment, capture_output=True, check=True, timeout=WAIT
    )
    files, rows = json.loads(process.stdout)
    return files, rows


@pytest.mark.skipif(not COMPILED, reason="the engine is installed uncompiled: there is nothing to compare it with")
def test_compiled_and_uncompiled_runs_are_the_same(uncompiled: Path, tmp_path: Path) -> None:
    (plain_files, plain), (compiled_files, compiled) = run(tmp_path, uncompiled), run(tmp_path, None)
    assert all(Path(file).suffix == ".py" and uncompiled in Path(file).parents for file in plain_files)
    assert not any(file.endswith(".py") for file in compiled_files)
    assert plain.keys() == compiled.keys()
    assert {name: row for name, row in plain.items() if row != compiled[name]} == {}
    assert len(plain) > 150
