"""The hot modules as plain Python: the same moves, values, lines and node counts as the compiled ones, only slower."""

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

import quietmove.engine.games.base
from quietmove.engine import bench
from quietmove.engine.games.base import get_game
from quietmove.engine.search import minimax, node, ordering, table
from quietmove.engine.search.deepening import Deepening
from quietmove.engine.values import Limits, Settings

game = get_game("othello")
from quietmove.engine.games.othello import board, endgame, evaluation

def played(seed, plies):
    choices = random.Random(seed)
    position = game.initial()
    for _ in range(plies):
        moves = sorted(position.legal_moves())
        if moves:
            position.play(choices.choice(moves))
    return position

def searched(position, settings, limits, megabytes):
    search = Deepening(position, table.Table(megabytes) if megabytes else None, settings, limits)
    infos = [astuple(replace(info, time=0)) for info in search.iterations()]
    return [infos, astuple(replace(search.result(), time=0))]

def positions():
    for seed, plies in ((1, 9), (2, 20), (3, 31), (4, 42), (5, 50), (6, 56)):
        yield played(seed, plies)
    yield game.parse_position(("XO" + "-" * 62 + " O").split())  # a pass
    yield game.parse_position("XXXOXXXXOXXXXXXXOOXXXXXXOOOXXXXXOOOXXOO-OOOOO---OOOOOOO-OOOOOOO- X".split())

rows = {}
for number, position in enumerate(positions()):
    text = game.format_position(position)
    rows[f"{number} facts"] = [
        text, position.key, position.legal_moves(), position.perft(3), position.static_value(), game.explain(position),
        minimax.Minimax(position).value(2),
    ]
    for name in ordering.ORDERINGS:
        for quiescence in (False, True):
            for megabytes in (0, 1):
                for algorithm in ("pvs", "alphabeta"):
                    depth = 3 if algorithm == "pvs" else 2
                    rows[f"{number} {algorithm} {name} {quiescence} {megabytes}"] = searched(
                        position, Settings(algorithm, name, quiescence), Limits(depth=depth), megabytes
                    )
    rows[f"{number} minimax"] = searched(position, Settings("minimax", "history", True), Limits(depth=2), 1)
    rows[f"{number} lines"] = searched(position, Settings(multipv=3), Limits(depth=3), 1)
    rows[f"{number} nodes"] = searched(position, Settings("pvs", "full", True), Limits(nodes=1500), 1)
for seed, plies in ((7, 51), (8, 50), (9, 52)):
    rows[f"solved {seed}"] = searched(played(seed, plies), Settings(), Limits(), 1)
from quietmove.engine.games import tree
from quietmove.engine.search import traced_search

for name in ("othello", "tree 3x3 2 worst", "tree"):
    for algorithm, ordering_name in (("minimax", "none"), ("alphabeta", "static"), ("pvs", "full")):
        events = []
        search = Deepening(
            get_game(name).initial(), None, Settings(algorithm, ordering_name), Limits(depth=3), trace=events.append
        )
        rows[f"trace {name} {algorithm}"] = [[astuple(replace(info, time=0)) for info in search.iterations()]]
        rows[f"trace {name} {algorithm}"] += [[type(event).__name__, *astuple(event)] for event in events]
rows["bench"] = bench.run(2).nodes
modules = (quietmove.engine.games.base, board, endgame, evaluation, minimax, node, ordering, table, traced_search, tree)
print(json.dumps([[module.__file__ for module in modules], rows]))
"""


def run(arguments: list[str], cwd: Path, first_path: Path | None) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": str(first_path)} if first_path else dict(os.environ)
    command = [sys.executable, *arguments]
    return subprocess.run(
        command, cwd=cwd, env=environment, input="quit\n", capture_output=True, check=True, text=True, timeout=WAIT
    )


@pytest.mark.skipif(not COMPILED, reason="the engine is installed uncompiled: there is nothing to compare it with")
def test_compiled_and_uncompiled_runs_are_the_same(uncompiled: Path, tmp_path: Path) -> None:
    answers: list[tuple[list[str], dict[str, Any]]] = [
        json.loads(run(["-c", SCRIPT], tmp_path, first).stdout) for first in (uncompiled, None)
    ]
    (plain_files, plain), (compiled_files, compiled) = answers
    assert all(Path(file).suffix == ".py" and uncompiled in Path(file).parents for file in plain_files)
    assert not any(file.endswith(".py") for file in compiled_files)
    assert plain.keys() == compiled.keys()
    assert {name: row for name, row in plain.items() if row != compiled[name]} == {}
    assert len(plain) > 400


def test_an_uncompiled_engine_says_so_at_every_start(uncompiled: Path, tmp_path: Path) -> None:
    for arguments in (["-m", "quietmove"], ["-m", "quietmove", "perft", "1"]):
        said = run(arguments, tmp_path, uncompiled).stderr
        assert said.count("\n") == 1
        assert "uncompiled" in said


@pytest.mark.skipif(not COMPILED, reason="the engine is installed uncompiled")
def test_a_compiled_engine_says_nothing(tmp_path: Path) -> None:
    assert run(["-m", "quietmove", "perft", "1"], tmp_path, None).stderr == ""
