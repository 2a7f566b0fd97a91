"""A game of one's own in a file: by protocol, referee and tournament, from another directory than the file's."""

from __future__ import annotations

import json
import shutil
import sys
from pathlib import Path

import pytest

from tests.fakes.processes import run_module

FAKES = Path(__file__).parents[1] / "example_games"
OWN_ENGINE = f"{sys.executable} -m quietmove"
SIDES = "abcdefghijklmnopqrs"
TOURNAMENT = """
name = "file"
rounds = 1
game = "games/gomoku.py:Gomoku"
[defaults]
limit = "depth=1"
[[engine]]
name = "one"
[[engine]]
name = "other"
options = { Hash = 0 }
"""


@pytest.fixture
def elsewhere(tmp_path: Path) -> Path:
    """Return an empty directory beside ``home``, whose folder ``games`` has the game."""
    (tmp_path / "home" / "games").mkdir(parents=True)
    shutil.copy(FAKES / "gomoku.py", tmp_path / "home" / "games")
    (tmp_path / "elsewhere").mkdir()
    return tmp_path / "elsewhere"


def full_but(cells: int) -> list[str]:
    """Return the moves of a game that has filled 19x19 but for some cells, with no five in a row."""
    colours: tuple[list[str], list[str]] = ([], [])
    for row in range(19):
        for column in range(19):
            colours[(column + 2 * row) % 4 // 2].append(f"{SIDES[column]}{row + 1}")
    black, white = colours
    return [cell for pair in zip(black, [*white, ""], strict=True) for cell in pair][: 361 - cells]


def test_by_protocol(elsewhere: Path) -> None:
    said = [
        "setoption name Game value ../home/games/gomoku.py:Gomoku",
        "moves",
        "position startpos moves a1 s19",
        "go depth 2",
        "isready",
        "",
    ]
    lines = run_module(elsewhere, "quietmove", said="\n".join(said), PYTHONSAFEPATH="1").stdout.splitlines()
    assert lines[0].startswith("361 legal: a1, b1,")
    assert not [line for line in lines if "error" in line]
    assert lines[-1].startswith("bestmove ")


def test_by_the_referee_to_the_end_of_a_full_board(elsewhere: Path) -> None:
    """The engines make the last 20 of 361 plies, more than any search looks ahead."""
    opening = elsewhere / "opening.txt"
    opening.write_text(" ".join(full_but(20)) + "\n", encoding="utf-8")
    words = [word for name in "ab" for word in ("--engine", f"name={name}", f"cmd={OWN_ENGINE}", "depth=1")]
    where = ("--game", "../home/games/gomoku.py:Gomoku", "--openings", str(opening))
    games = json.loads(
        run_module(elsewhere, "quietmove.referee", "match", *where, "--json", *words, PYTHONSAFEPATH="1").stdout
    )["games"]
    assert len(games) == 2
    for game in games:
        assert (game["reason"], game["points_black"]) == ("finished", 0.5)
        assert len(game["moves"]) == 361


def test_by_a_tournament(elsewhere: Path) -> None:
    """The path is taken from the folder of the tournament's file."""
    file = elsewhere.parent / "home" / "file.toml"
    file.write_text(TOURNAMENT, encoding="utf-8")
    run_module(elsewhere, "quietmove.tournament", "run", str(file), PYTHONSAFEPATH="1")
    store = next(elsewhere.parent.rglob("*.sqlite"))
    listed = run_module(elsewhere, "quietmove.tournament", "games", str(store), "--json", PYTHONSAFEPATH="1").stdout
    games = [json.loads(line) for line in listed.splitlines()]
    assert len(games) == 2
    assert {game["reason"] for game in games} == {"finished"}
