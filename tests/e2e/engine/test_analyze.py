"""The command ``analyze`` as a real process."""

from __future__ import annotations

import json
import random
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from quietmove.commands import run_command
from quietmove.engine.games.registry import get_game
from tests.fakes.games import play_at_random
from tests.fakes.processes import WAIT

OTHELLO = get_game("othello")
COMMAND = [sys.executable, "-m", "quietmove", "analyze"]


GAME = [OTHELLO.format_move(move) for move in play_at_random(OTHELLO.initial(), random.Random(2))]


def test_a_game_is_analysed_and_drawn(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file, plot = tmp_path / "late.ggf", tmp_path / "game.svg"
    file.write_text(game_from(50), encoding="utf-8")
    assert run_command(["analyze", str(file), "--depth", "1", "--exact", "8", "--json", "--plot", str(plot)]) == 0
    assert plot.read_text(encoding="utf-8").startswith("<?xml")
    moves = json.loads(capsys.readouterr().out)["games"][0]["moves"]
    assert [move["move"] for move in moves] == GAME[50:]
    assert not moves[0]["exact"]
    assert all(move["exact"] for move in moves[-8:])


def game_from(ply: int) -> str:
    """Return the rest of the game from a position on, as GGF."""
    position = OTHELLO.initial()
    for move in GAME[:ply]:
        position.play(OTHELLO.parse_move(position, move))
    board, side = OTHELLO.format_position(position).replace("X", "*").split()
    moves = "".join(f"{'BW'[(position.side_to_move + number) % 2]}[{move}]" for number, move in enumerate(GAME[ply:]))
    return f"(;GM[Othello]TY[8]BO[8 {board} {side}]{moves};)\n"


USEFUL = (
    "error: --option: must be one of Algorithm, Ordering, Evaluation, EvalFile, Quiescence, Selectivity, Aspiration, "
    "Threads"
)


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        (("f5d6c3c3",), "error: transcript: move 4: 'c3' is not legal here"),
        (("nothing.ggf",), "error: nothing.ggf: No such file or directory"),
        (("f5", "--game", "chess"), "error: game: must be one of "),
        (("f5", "--option", "MultiPV=3"), f"{USEFUL}, not 'MultiPV'"),
        (("f5", "--option", "Seed=3"), f"{USEFUL}, not 'Seed'"),
        (("f5", "--option", "Hsh=1"), "error: no option 'Hsh'; did you mean 'Hash'?"),
        (("games.txt", "--plot", "two.png"), "error: --plot: can draw one game, not 2; choose one with --game-number"),
    ],
)
def test_what_is_not_allowed_is_one_error(
    tmp_path: Path,
    arguments: tuple[str, ...],
    error: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("games.txt").write_text("f5d6\nf5f6\n", encoding="utf-8")
    assert run_command(["analyze", *arguments]) == 2
    said, errors = capsys.readouterr()
    assert said == ""
    assert errors.splitlines()[-1].startswith(error)


def test_an_interrupt_ends_it_at_once(tmp_path: Path) -> None:
    """The first game has its last move left; the second would take hours."""
    file = tmp_path / "games.ggf"
    file.write_text(game_from(len(GAME) - 1) + game_from(0), encoding="utf-8")
    command = [*COMMAND, str(file), "--nodes", str(10**12)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            assert process.stdout.readline().startswith("games.ggf, line 1: ")
            process.send_signal(signal.SIGINT)
            output, errors = process.communicate(timeout=WAIT)
        finally:
            process.kill()
    assert process.returncode == 130
    assert "line 2" not in output
    assert "Traceback" not in errors
