"""The row and the heaps between real engine processes: a match by the referee, and a tournament."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

import quietmove
from quietmove.referee.config.openings import read_openings
from quietmove.tournament.cli import run_command_line
from quietmove.tournament.store.store import Store
from tests.fakes.processes import run_module

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


def mover_wins(game: str) -> bool | None:
    """Return whether Black wins the game from its start with best play; None where the test does not know."""
    return {"nim 1,2,3": False, "othello 4x4": False, "subtraction 9 3": True}.get(game)


def judge(game: str, results: list[tuple[str, float]]) -> None:
    """Look at the reason and Black's points of two games."""
    assert [reason for reason, _ in results] == ["finished", "finished"]
    if mover_wins(game) is not None:
        assert [points for _, points in results] == [float(bool(mover_wins(game)))] * 2


def test_openings_of_a_small_board(tmp_path: Path) -> None:
    words = ["--game", "othello 6x6", "--count", "4", "--plies", "5", "--depth", "4", "--within", "800"]
    listed = run_module(tmp_path, "quietmove.tournament", "openings", *words).stdout
    assert "openings --game 'othello 6x6' --count 4" in listed
    (tmp_path / "openings.txt").write_text(listed, encoding="utf-8")
    assert len(set(read_openings(tmp_path / "openings.txt", "othello 6x6"))) == 4
    engine = f"cmd={sys.executable} -m quietmove"
    match = ["--game", "othello 6x6", "--openings", "openings.txt", "--games", "8", "--json"]
    engines = ["--engine", "name=a", engine, "depth=3", "--engine", "name=b", engine, "nodes=2000"]
    games = json.loads(run_module(tmp_path, "quietmove.referee", "match", *match, *engines).stdout)["games"]
    assert {game["reason"] for game in games} == {"finished"}
    assert len({tuple(move["move"] for move in game["moves"][:5]) for game in games}) == 4


def test_a_judged_game_of_a_small_board_from_python() -> None:
    one, other = (quietmove.player(name=name, limit="depth=4") for name in ("one", "other"))
    record = quietmove.play_game(one, other, game="othello 6x6", opening="c2 b2")
    position = quietmove.Position("othello 6x6", moves=[move.move for move in record.moves])
    assert record.reason == "finished"
    assert position.is_over
    assert position.result == record.margin_black


@pytest.mark.parametrize("game", GAMES)
def test_a_tournament(game: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("small.toml").write_text(TOURNAMENT.format(game=game), encoding="utf-8")
    assert run_command_line(["run", "small.toml"]) == 0
    with Store.open_to_read(Path("small.sqlite")) as store:
        judge(game, [(result.reason, result.points_black) for result in store.results()])
