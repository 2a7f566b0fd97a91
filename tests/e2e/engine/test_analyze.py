"""The command ``analyze`` as a real process."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from quietmove.engine.games.registry import get_game

OTHELLO = get_game("othello")
COMMAND = [sys.executable, "-m", "quietmove", "analyze"]


def random_game() -> list[str]:
    choices = random.Random(2)
    position = OTHELLO.initial()
    moves = []
    while legal := sorted(position.legal_moves()):
        moves.append(choices.choice(legal))
        position.play(moves[-1])
    return [OTHELLO.format_move(move) for move in moves]


GAME = random_game()


def analyze(*arguments: object, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*COMMAND, *map(str, arguments)],
        capture_output=True,
        text=True,
        timeout=120,
        stdin=subprocess.DEVNULL,
        env={**os.environ, "PYTHONIOENCODING": "utf-8", **environment},
    )


def solved(moves: list[str]) -> float:
    """Return the value that ``go solve`` finds after some moves."""
    talk = f"position startpos moves {' '.join(moves)}\ngo solve\n"
    command = [sys.executable, "-m", "quietmove"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(talk)
        process.stdin.flush()
        last = ""
        while not (line := process.stdout.readline()).startswith("bestmove"):
            last = line
        process.stdin.close()
    words = last.split()
    return int(words[words.index("cp") + 1]) / 100


def test_the_exact_part_is_what_go_solve_says(tmp_path: Path) -> None:
    plot = tmp_path / "game.svg"
    done = analyze("".join(GAME[:56]), "--depth", 1, "--exact", 10, "--json", "--plot", plot)
    assert (done.returncode, done.stderr) == (0, "")
    assert plot.read_text(encoding="utf-8").startswith("<?xml")
    document = json.loads(done.stdout)
    moves = document["games"][0]["moves"]
    exact = [move for move in moves if move["exact"]]
    assert len(exact) >= 5
    for move in exact[:2]:
        before = [each["move"] for each in moves[: move["number"] - 1]]
        assert solved(before) == move["best_value"]
        assert -solved([*before, move["move"]]) == move["value"]


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
        (("f5", "--plot", "figure.pdf"), "error: --plot: must be a file that ends in .svg or .png"),
    ],
)
def test_what_is_not_allowed_is_one_error(arguments: tuple[str, ...], error: str) -> None:
    done = analyze(*arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.splitlines()[-1].startswith(error)
    assert "Traceback" not in done.stderr


def test_a_figure_shows_one_game(tmp_path: Path) -> None:
    file = tmp_path / "games.txt"
    file.write_text("f5d6\nf5f6\n", encoding="utf-8")
    done = analyze(file, "--plot", tmp_path / "two.png")
    assert done.returncode == 2
    assert "--plot: must be of one game, not of 2" in done.stderr


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
            output, errors = process.communicate(timeout=60)
        finally:
            process.kill()
    assert process.returncode == 130
    assert "line 2" not in output
    assert "Traceback" not in errors
