"""Expectiminimax and the search over deals as plain Python: the same values, moves and node counts as compiled."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from quietmove.engine.games import base

ROOT = Path(__file__).parents[2]
COMPILED = not str(base.__file__).endswith(".py")
WAIT = 240  # seconds after which a process that has not ended fails the test

SCRIPT = """
from quietmove.engine.games.base import get_game
from quietmove.engine.search.chance import ChanceDeepening
from quietmove.engine.search.hidden import HiddenDeepening
from quietmove.engine.search.table import Table
from quietmove.engine.values import Limits, Settings

def show(position, search):
    lines = [(info.score.value, info.nodes, info.pv) for info in search.iterations()]
    print(position.key, position.static_value(), lines, search.result().nodes)

dice = get_game("einstein")
for text in ("145--26---3---c---fb--eda B 4", "-5--2-6-a--3b--c1-----d-- W 2"):
    for algorithm in ("minimax", "alphabeta", "pvs"):
        for table in (None, Table(1)):
            position = dice.parse_position(text.split())
            show(position, ChanceDeepening(position, table, Settings(algorithm), Limits(depth=2)))
cards = get_game("whist 3x4 4")
view = cards.parse_position(cards.view(cards.begin(2), 0).split())
for algorithm in ("alphabeta", "pvs"):
    settings = Settings(algorithm, deals=8, seed=3)
    show(view, HiddenDeepening(view, Table(1), settings, Limits(nodes=3000), game=cards))
"""


def output(folder: Path) -> str:
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", SCRIPT],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(folder)},
        capture_output=True,
        text=True,
        timeout=WAIT,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.skipif(not COMPILED, reason="there is nothing compiled to compare with")
def test_uncompiled_and_compiled_agree(uncompiled: Path) -> None:
    plain = output(uncompiled)
    assert plain == output(ROOT)
    assert plain.count("\n") == 14
