"""The example of a game of one's own, installed as a package is, played by protocol and referee."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from tests.fakes.processes import run_module

EXAMPLE = Path(__file__).parents[1] / "example_games" / "hexapawn"
ENGINE = f"cmd={sys.executable} -m quietmove"
WAIT = 120  # seconds; only a test that fails waits so long


@pytest.fixture
def site(tmp_path: Path) -> Path:
    """Install the example by hand into a folder: its module, and what an installer would write beside it."""
    folder = tmp_path / "site"
    project = tomllib.loads((EXAMPLE / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    described = folder / f"quietmove_hexapawn-{project['version']}.dist-info"
    described.mkdir(parents=True)
    shutil.copy(EXAMPLE / "hexapawn.py", folder)
    lines = [f"Name: {project['name']}", f"Version: {project['version']}"]
    (described / "METADATA").write_text("\n".join(["Metadata-Version: 2.1", *lines, ""]), encoding="utf-8")
    groups = [
        f"[{group}]\n" + "".join(f"{name} = {value}\n" for name, value in points.items())
        for group, points in project["entry-points"].items()
    ]
    (described / "entry_points.txt").write_text("\n".join(groups), encoding="utf-8")
    return folder


def run(site: Path, *arguments: str, said: str = "", status: int = 0) -> subprocess.CompletedProcess[str]:
    return run_module(site.parent, *arguments, said=said, status=status, PYTHONPATH=str(site))


def breaks(site: Path, old: str, new: str) -> None:
    """Change the installed copy of the game."""
    module = site / "hexapawn.py"
    text = module.read_text(encoding="utf-8")
    assert text.count(old) == 1
    module.write_text(text.replace(old, new), encoding="utf-8")


def test_it_is_short() -> None:
    assert len((EXAMPLE / "hexapawn.py").read_text(encoding="utf-8").splitlines()) <= 70


def test_by_protocol(site: Path) -> None:
    said = "uci\nsetoption name Game value hexapawn 4\nposition startpos moves a1a2\nd\nmoves\ngo perft 3\nisready\n"
    lines = run(site, "quietmove", said=said).stdout.splitlines()
    assert any(line.startswith("option name Game type combo") and " var hexapawn" in line for line in lines)
    for line in ("  b (Black) to move", "  position fen bbbb----w----www b", "4 legal: a4a3, b4b3, c4c3, d4d3"):
        assert line in lines
    assert not [line for line in lines if "error" in line]


def test_the_second_player_wins_with_three_pawns(site: Path) -> None:
    command = [sys.executable, "-m", "quietmove"]
    with subprocess.Popen(
        command, env={**os.environ, "PYTHONPATH": str(site)}, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as engine:
        assert engine.stdin is not None
        assert engine.stdout is not None
        print("setoption name Game value hexapawn\ngo depth 8", file=engine.stdin, flush=True)
        lines = []
        for line in engine.stdout:
            lines.append(line)
            if line.startswith("bestmove"):
                break
        engine.stdin.close()
        assert engine.wait(WAIT) == 0
    assert " score loss 6 " in lines[-2]


def test_by_the_referee(site: Path) -> None:
    words = ["--engine", "name=a", ENGINE, "nodes=3000", "--engine", "name=b", ENGINE, "nodes=3000"]
    games = json.loads(run(site, "quietmove.referee", "match", "--game", "hexapawn", "--json", *words).stdout)["games"]
    assert [(game["reason"], game["points_black"]) for game in games] == [("finished", 0.0)] * 2


def test_a_mistake_in_the_evaluation_is_said_and_a_legal_move_is_played(site: Path) -> None:
    breaks(site, 'return state[0].count("w")', 'return state[9].count("w")')
    words = ["--engine", "name=a", ENGINE, "nodes=3000", "--engine", "name=b", ENGINE, "nodes=3000"]
    answer = run(site, "quietmove.referee", "match", "--game", "hexapawn", "--json", "--dialogue", *words).stdout
    assert {game["reason"] for game in json.loads(answer)["games"]} == {"finished"}
    assert "info string error: go: the game's evaluate(): IndexError: tuple index out of range" in answer


def test_a_mistake_in_the_rules_is_one_line_of_the_referee(site: Path) -> None:
    breaks(site, "found = []", "found = None if 'w' in board[3:6] else []")
    words = ["--engine", "name=a", ENGINE, "nodes=3000", "--engine", "name=b", ENGINE, "nodes=3000"]
    done = run(site, "quietmove.referee", "match", "--game", "hexapawn", "--json", *words, status=2)
    assert "the game's moves(): " in done.stderr.splitlines()[-1]


def test_a_module_that_cannot_be_imported_is_one_error(site: Path) -> None:
    (site / "hexapawn.py").write_text("import nothing_of_the_kind\n", encoding="utf-8")
    lines = run(site, "quietmove", said="setoption name Game value hexapawn\nmoves\n").stdout.splitlines()
    assert lines[0].startswith("info string error: setoption: game hexapawn: cannot be made from hexapawn:Hexapawn: ")
    assert lines[1].startswith("4 legal: d3")
    words = ["--engine", ENGINE, "nodes=3000", "--engine", "name=b", ENGINE, "nodes=3000"]
    done = run(site, "quietmove.referee", "match", "--game", "hexapawn", *words, status=2)
    assert "cannot be made from hexapawn:Hexapawn" in done.stderr
