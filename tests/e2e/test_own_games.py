"""Games of one's own, in an installed package and in a file, and small boards: by protocol, referee and tournament."""

from __future__ import annotations

import json
import shutil
import sqlite3
import sys
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from tests.fakes.packages import install
from tests.fakes.processes import run_module

EXAMPLES = Path(__file__).parents[1] / "example_games"
ENGINE = f"cmd={sys.executable} -m quietmove"
GOMOKU = "../home/games/gomoku.py:Gomoku"
TOURNAMENT = """
name = "own"
rounds = 1
game = "{}"
[defaults]
limit = "{}"
options = {{ Hash = 1 }}
[[engine]]
name = "one"
[[engine]]
name = "other"
options = {{ Algorithm = "alphabeta", Ordering = "none" }}
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """An empty folder beside ``home/games``, which has a game in a file, and ``site``, which has an installed one."""
    (tmp_path / "home" / "games").mkdir(parents=True)
    (tmp_path / "elsewhere").mkdir()
    shutil.copy(EXAMPLES / "gomoku.py", tmp_path / "home" / "games")
    install(tmp_path / "site", EXAMPLES / "hexapawn")
    return tmp_path / "elsewhere"


def run(folder: Path, *words: str, said: str = "", status: int = 0) -> Any:
    site = str(folder.parent / "site")
    return run_module(folder, *words, said=said, status=status, PYTHONPATH=site, PYTHONSAFEPATH="1")


def match(folder: Path, *words: str, limit: str = "nodes=3000", status: int = 0) -> Any:
    """Play a match of two engines with colours swapped."""
    engines = [word for name in "ab" for word in ("--engine", f"name={name}", ENGINE, limit)]
    return run(folder, "quietmove.referee", "match", "--json", *words, *engines, status=status)


def play_tournament(folder: Path, file: Path, game: str, limit: str) -> list[dict[str, Any]]:
    file.write_text(TOURNAMENT.format(game, limit), encoding="utf-8")
    run(folder, "quietmove.tournament", "run", str(file))
    [store] = folder.parent.rglob("*.sqlite")
    listed = run(folder, "quietmove.tournament", "games", str(store), "--json").stdout
    return [json.loads(line) for line in listed.splitlines()]


def test_an_installed_game_is_known_to_all_programs(folder: Path) -> None:
    said = "uci\nsetoption name Game value hexapawn 4\nposition startpos moves a1a2\nd\nmoves\ngo perft 3\nisready\n"
    lines = run(folder, "quietmove", said=said).stdout.splitlines()
    assert any(line.startswith("option name Game type combo") and " var hexapawn" in line for line in lines)
    for line in ("  b (Black) to move", "  position fen bbbb----w----www b", "4 legal: a4a3, b4b3, c4c3, d4d3"):
        assert line in lines
    assert not [line for line in lines if "error" in line]
    games = json.loads(match(folder, "--game", "hexapawn").stdout)["games"]
    assert [(game["reason"], game["points_black"]) for game in games] == [("finished", 0.0)] * 2


@pytest.mark.parametrize(
    ("old", "new", "status", "said"),
    [
        ('return state[0].count("w")', 'return state[9].count("w")', 0, "evaluate(): IndexError: tuple index out of"),
        ("found = []", "found = None if 'w' in board[3:6] else []", 2, "the game's moves(): "),
        (
            "class Hexapawn",
            "import nothing_of_the_kind\n\nclass Hexapawn",
            2,
            "cannot be created from hexapawn:Hexapawn",
        ),
    ],
)
def test_a_mistake_of_a_game_is_told(folder: Path, old: str, new: str, status: int, said: str) -> None:
    """One in the evaluation is told by the engine, which plays on; others are the last line of the referee."""
    module = folder.parent / "site" / "hexapawn.py"
    text = module.read_text(encoding="utf-8")
    assert text.count(old) == 1
    module.write_text(text.replace(old, new), encoding="utf-8")
    done = match(folder, "--game", "hexapawn", "--dialogue", status=status)
    assert said in (done.stderr.splitlines()[-1] if status else done.stdout)


def test_a_game_in_a_file_is_known_from_another_folder(folder: Path) -> None:
    said = f"setoption name Game value {GOMOKU}\nmoves\nposition startpos moves a1 s19\ngo depth 2\nisready\n"
    lines = run(folder, "quietmove", said=said).stdout.splitlines()
    assert lines[0].startswith("361 legal: a1, b1,")
    assert not [line for line in lines if "error" in line]
    assert lines[-1].startswith("bestmove ")


def test_a_full_board_of_361_plies_is_judged(folder: Path) -> None:
    """The engines make the last 20 plies, more than any search looks ahead; nobody has five in a row."""
    colours: tuple[list[str], list[str]] = ([], [])
    for row in range(19):
        for column, letter in enumerate("abcdefghijklmnopqrs"):
            colours[(column + 2 * row) % 4 // 2].append(f"{letter}{row + 1}")
    moves = [cell for pair in zip(colours[0], [*colours[1], ""], strict=True) for cell in pair][:341]
    (folder / "opening.txt").write_text(" ".join(moves) + "\n", encoding="utf-8")
    games = json.loads(match(folder, "--game", GOMOKU, "--openings", "opening.txt", limit="depth=1").stdout)["games"]
    assert [(game["reason"], game["points_black"], len(game["moves"])) for game in games] == [
        ("finished", 0.5, 361)
    ] * 2


@pytest.mark.parametrize(("game", "points"), [("othello 4x4", 0.0), ("subtraction 9 3", 1.0)])
def test_a_tournament_of_a_small_game_is_won_by_the_side_that_theory_says(
    folder: Path, game: str, points: float
) -> None:
    games = play_tournament(folder, folder / "small.toml", game, "nodes=20000")
    assert [(each["reason"], each["points_black"]) for each in games] == [("finished", points)] * 2


def test_a_tournament_finds_a_game_beside_its_file(folder: Path) -> None:
    """Its user continues it at once; whoever only reads it must name the file for it to be run."""
    games = play_tournament(folder, folder.parent / "home" / "file.toml", "games/gomoku.py:Gomoku", "depth=1")
    assert [game["reason"] for game in games] == ["finished"] * 2
    [store] = folder.parent.rglob("*.sqlite")
    with closing(sqlite3.connect(store)) as connection, connection:
        connection.execute("DELETE FROM game WHERE number = 2")
    run(folder, "quietmove.tournament", "verify", str(store), status=1)
    run(folder, "quietmove.tournament", "verify", str(store), "--game", GOMOKU)
    run(folder, "quietmove.tournament", "resume", str(store))
