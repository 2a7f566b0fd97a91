"""The list that is shipped, and the command that made it."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

from quietmove.engine.games.registry import game_names, get_game
from quietmove.engine.protocol.notation import play_moves
from quietmove.referee.config.openings import BUILT_IN, BUILT_IN_FILE, read_openings

SOURCE = Path(__file__).parents[3]
PATIENCE = 240.0


def find(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "quietmove.tournament", "openings", *arguments],
        env={**os.environ, "PYTHONPATH": str(SOURCE)},
        capture_output=True,
        text=True,
        timeout=PATIENCE,
    )


def check_distinct(openings: tuple[tuple[str, ...], ...], plies: int) -> None:
    game = get_game("othello")
    seen = set()
    for opening in openings:
        assert len(opening) == plies
        position = game.initial()
        play_moves(game, position, opening)
        seen.add(game.canonical(position))
    assert len(seen) == len(openings)


def test_the_shipped_list_is_distinct_and_names_its_command() -> None:
    check_distinct(read_openings(Path(BUILT_IN), "othello"), 8)
    text = BUILT_IN_FILE.read_text()
    match = re.search(r"quietmove-tournament openings .*--count (\d+) --plies 8 .*--within (\d+) ", text)
    assert match is not None
    values = [float(value) for value in re.findall(r"^[a-h1-8]{16}  # ([+-]\d+\.\d\d)$", text, re.MULTILINE)]
    assert len(values) == int(match[1]) >= 200
    assert max(map(abs, values)) <= int(match[2]) / 100


def test_a_seed_makes_one_list(tmp_path: Path) -> None:
    arguments = ["--count", "6", "--plies", "5", "--depth", "3", "--within", "300"]
    done = find(*arguments, "--seed", "7")
    assert done.returncode == 0, done.stderr
    assert find(*arguments, "--seed", "7").stdout == done.stdout
    assert find(*arguments, "--seed", "8").stdout != done.stdout
    path = tmp_path / "list.txt"
    path.write_text(done.stdout)
    openings = read_openings(path, "othello")
    assert len(openings) == 6
    check_distinct(openings, 5)
    assert f"openings --game othello {' '.join(arguments)} --seed 7\n" in done.stdout


def test_openings_that_do_not_exist_are_an_error() -> None:
    done = find("--count", "2", "--plies", "1", "--depth", "1", "--within", "10000")
    assert done.returncode == 2
    assert len(done.stdout.splitlines()) == 6 + 1
    assert done.stderr.startswith("error: openings: found 1 of 2, then none in 2000 tries")
    assert find("--game", "chess").stderr == f"error: game: must be one of {', '.join(game_names())}, not 'chess'\n"
