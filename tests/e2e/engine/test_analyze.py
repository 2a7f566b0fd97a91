"""The command ``analyze`` as a real process."""

from __future__ import annotations

import json
import random
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from quietmove.commands import run_command
from quietmove.engine.games.registry import get_game
from tests.fakes.games import play_at_random
from tests.fakes.processes import WAIT

OTHELLO = get_game("othello")
COMMAND = [sys.executable, "-m", "quietmove", "analyze"]


GAME = [OTHELLO.format_move(move) for move in play_at_random(OTHELLO.initial(), random.Random(2))]


def test_the_exact_part_is_what_go_solve_says(tmp_path: Path, engine: Any) -> None:
    plot = tmp_path / "game.svg"
    command = [*COMMAND, "".join(GAME[:56]), "--depth", "1", "--exact", "10", "--json", "--plot", str(plot)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=WAIT, check=True)
    assert plot.read_text(encoding="utf-8").startswith("<?xml")
    moves = json.loads(done.stdout)["games"][0]["moves"]
    exact = [move for move in moves if move["exact"]]
    assert len(exact) >= 5
    for move in exact[:2]:
        before = [each["move"] for each in moves[: move["number"] - 1]]
        for sign, made, value in ((1, before, move["best_value"]), (-1, [*before, move["move"]], move["value"])):
            engine.answers(f"position startpos moves {' '.join(made)}\ngo solve", "bestmove.*")
            assert f" cp {round(sign * value * 100)} " in engine.skipped[-1]


USEFUL = "error: --option: must be one of Algorithm, Ordering, Evaluation, EvalFile, Quiescence, Selectivity, Threads"


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        (("f5d6c3c3",), "error: transcript: move 4: 'c3' is not legal here"),
        (("nothing.ggf",), "error: nothing.ggf: No such file or directory"),
        (("f5", "--game", "chess"), "error: game: must be one of capture"),
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
    position = OTHELLO.initial()
    for move in GAME[:-1]:
        position.play(OTHELLO.parse_move(position, move))
    side = "BW"[position.side_to_move]
    last, first = (OTHELLO.format_position(each).replace("X", "*") for each in (position, OTHELLO.initial()))
    games = f"(;GM[Othello]TY[8]BO[8 {last}]{side}[{GAME[-1]}];)\n(;GM[Othello]TY[8]BO[8 {first}]B[f5];)"
    file = tmp_path / "games.ggf"
    file.write_text(games, encoding="utf-8")
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
