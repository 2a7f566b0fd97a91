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

from quietmove.engine.common.command_line import run_group
from quietmove.engine.protocol.uci import Uci
from quietmove.referee.cli import referee
from quietmove.tournament.cli import run_command_line
from tests.fakes.addons import needs_games
from tests.fakes.packages import install
from tests.fakes.processes import run_module
from tests.fakes.talk import Talk

EXAMPLES = Path(__file__).parents[1] / "example_games"
INSIDE = "protocol=in-process"
GOMOKU = "../home/games/gomoku.py:Gomoku"
TOURNAMENT = """
name = "own"
rounds = 1
game = "{}"
[defaults]
protocol = "in-process"
limit = "{}"
options = {{ Hash = 1 }}
[[engine]]
name = "one"
[[engine]]
name = "other"
options = {{ Algorithm = "alphabeta", Ordering = "none" }}
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty working folder beside ``home/games``, which has games in files, and ``site``, with an installed one."""
    (tmp_path / "home" / "games").mkdir(parents=True)
    (tmp_path / "elsewhere").mkdir()
    for name in ("gomoku.py", "hexapawn/hexapawn.py"):
        shutil.copy(EXAMPLES / name, tmp_path / "home" / "games")
    install(tmp_path / "site", EXAMPLES / "hexapawn")
    monkeypatch.chdir(tmp_path / "elsewhere")
    return tmp_path / "elsewhere"


def run(folder: Path, *words: str, said: str = "", status: int = 0) -> Any:
    """Run a module in a process that knows the installed game."""
    site = str(folder.parent / "site")
    return run_module(folder, *words, said=said, status=status, PYTHONPATH=site, PYTHONSAFEPATH="1")


def match(*words: str, engine: str = INSIDE, limit: str = "nodes=3000") -> list[str]:
    """Return the words of a match of two engines with colours swapped."""
    engines = [word for name in "ab" for word in ("--engine", f"name={name}", engine, limit)]
    return ["match", "--json", *words, *engines]


def play_tournament(file: Path, game: str, limit: str, capsys: pytest.CaptureFixture[str]) -> list[dict[str, Any]]:
    file.write_text(TOURNAMENT.format(game, limit), encoding="utf-8")
    assert run_command_line(["run", str(file)]) == 0
    capsys.readouterr()
    assert run_command_line(["games", "own.sqlite", "--json"]) == 0
    return [json.loads(line) for line in capsys.readouterr().out.splitlines()]


def test_an_installed_game_is_known_to_all_programs(folder: Path) -> None:
    said = "uci\nsetoption name Game value hexapawn 4\nposition startpos moves a1a2\nd\nmoves\ngo perft 3\nisready\n"
    lines = run(folder, "quietmove", said=said).stdout.splitlines()
    assert any(line.startswith("option name Game type combo") and " var hexapawn" in line for line in lines)
    for line in ("  b (Black) to move", "  position fen bbbb----w----www b", "4 legal: a4a3, b4b3, c4c3, d4d3"):
        assert line in lines
    assert not [line for line in lines if "error" in line]
    words = match("--game", "hexapawn", engine=f"cmd={sys.executable} -m quietmove")
    games = json.loads(run(folder, "quietmove.referee", *words).stdout)["games"]
    assert [(game["reason"], game["points_black"]) for game in games] == [("finished", 0.0)] * 2


def test_a_mistake_in_the_evaluation_is_told_and_the_engine_plays_on(folder: Path) -> None:
    game = changed(folder.parent / "home" / "games", 'return state[0].count("w")', 'return state[9].count("w")')
    lines = Talk(Uci).say(f"setoption name Game value {game}", "go depth 3")
    assert any("evaluate(): IndexError: tuple index out of" in line for line in lines)
    assert lines[-1].startswith("bestmove ")


def test_a_game_that_cannot_be_created_ends_the_match(folder: Path) -> None:
    changed(folder.parent / "site", "class Hexapawn", "import nothing_of_the_kind\n\nclass Hexapawn")
    done = run(folder, "quietmove.referee", *match("--game", "hexapawn"), status=2)
    assert "cannot be created from hexapawn:Hexapawn" in done.stderr.splitlines()[-1]


def changed(folder: Path, old: str, new: str) -> str:
    """Replace some code in a folder's ``hexapawn.py``; return the game's name."""
    module = folder / "hexapawn.py"
    text = module.read_text(encoding="utf-8")
    assert text.count(old) == 1
    module.write_text(text.replace(old, new), encoding="utf-8")
    return f"{module}:Hexapawn"


def test_a_game_in_a_file_is_known_from_another_folder(folder: Path) -> None:
    said = f"setoption name Game value {GOMOKU}\nmoves\nposition startpos moves a1 s19\ngo depth 2\nisready\n"
    lines = run(folder, "quietmove", said=said).stdout.splitlines()
    assert lines[0].startswith("361 legal: a1, b1,")
    assert not [line for line in lines if "error" in line]
    assert lines[-1].startswith("bestmove ")


def test_a_full_board_of_361_plies_is_judged(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The engines make the last moves; nobody has five in a row."""
    colours: tuple[list[str], list[str]] = ([], [])
    for row in range(19):
        for column, letter in enumerate("abcdefghijklmnopqrs"):
            colours[(column + 2 * row) % 4 // 2].append(f"{letter}{row + 1}")
    moves = [cell for pair in zip(colours[0], [*colours[1], ""], strict=True) for cell in pair][:355]
    (folder / "opening.txt").write_text(" ".join(moves) + "\n", encoding="utf-8")
    words = match("--game", GOMOKU, "--openings", "opening.txt", "--games", "1", limit="depth=1")
    assert run_group(referee, "quietmove-referee", words) == 0
    (game,) = json.loads(capsys.readouterr().out)["games"]
    assert (game["reason"], game["points_black"], len(game["moves"])) == ("finished", 0.5, 361)


@pytest.mark.parametrize(
    ("game", "points"), [("othello 4x4", 0.0), pytest.param("subtraction 9 3", 1.0, marks=needs_games)]
)
def test_a_tournament_of_a_small_game_is_won_by_the_side_that_theory_says(
    folder: Path, game: str, points: float, capsys: pytest.CaptureFixture[str]
) -> None:
    games = play_tournament(folder / "small.toml", game, "nodes=20000", capsys)
    assert [(each["reason"], each["points_black"]) for each in games] == [("finished", points)] * 2


def test_a_tournament_finds_a_game_beside_its_file(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Its user continues it at once; whoever only reads it must name the file for it to be run."""
    file, game = folder.parent / "home" / "file.toml", "games/hexapawn.py:Hexapawn"
    games = play_tournament(file, game, "depth=1", capsys)
    assert [each["reason"] for each in games] == ["finished"] * 2
    with closing(sqlite3.connect("own.sqlite")) as connection, connection:
        connection.execute("DELETE FROM game WHERE number = 2")
    run(folder, "quietmove.tournament", "verify", "own.sqlite", status=1)
    assert run_command_line(["verify", "own.sqlite", "--game", f"../home/{game}"]) == 0
    assert run_command_line(["resume", "own.sqlite"]) == 0
