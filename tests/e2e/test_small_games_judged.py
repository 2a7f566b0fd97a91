"""The row and the heaps between real engine processes: a match by the referee, and a tournament."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

WAIT = 120  # seconds; only a test that fails waits so long
GAMES = ["capture", "capture XX-OX-OO", "nim 1,2,3", "othello 6x6", "othello 4x4", "subtraction 9 3"]

TOURNAMENT = """
name = "small"
rounds = 1
game = "{game}"
[defaults]
limit = "nodes=20000"
options = {{ Hash = 1 }}
[[engine]]
name = "one"
[[engine]]
name = "other"
options = {{ Algorithm = "alphabeta", Ordering = "none" }}
"""


def run(folder: Path, *arguments: str) -> str:
    command = [sys.executable, "-m", *arguments]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=WAIT)
    assert done.returncode == 0, done.stderr
    return done.stdout


def mover_wins(game: str) -> bool | None:
    """Return whether Black wins the game from its start with best play; None where the test does not know."""
    return {"nim 1,2,3": False, "othello 4x4": False, "subtraction 9 3": True}.get(game)


def judge(game: str, results: list[dict[str, Any]]) -> None:
    assert [result["reason"] for result in results] == ["finished", "finished"]
    if mover_wins(game) is not None:
        assert [result["points_black"] for result in results] == [float(bool(mover_wins(game)))] * 2


@pytest.mark.parametrize("game", GAMES)
def test_a_match(game: str, tmp_path: Path) -> None:
    engine = f"cmd={sys.executable} -m quietmove"
    words = ["--engine", "name=a", engine, "nodes=20000", "--engine", "name=b", engine, "nodes=20000", "option.Hash=1"]
    answer = json.loads(run(tmp_path, "quietmove.referee", "match", "--game", game, "--json", *words))
    judge(game, answer["games"])


@pytest.mark.parametrize("game", GAMES)
def test_a_tournament(game: str, tmp_path: Path) -> None:
    (tmp_path / "small.toml").write_text(TOURNAMENT.format(game=game), encoding="utf-8")
    run(tmp_path, "quietmove.tournament", "run", "small.toml")
    store = next(tmp_path.glob("*.sqlite")).name
    judge(
        game,
        [json.loads(line) for line in run(tmp_path, "quietmove.tournament", "games", store, "--json").splitlines()],
    )
