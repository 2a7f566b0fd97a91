"""The values that a program prints after its moves are compared with minimax."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from pathlib import Path

import pytest

from quietmove.addons.hall import values
from quietmove.addons.hall.settings import read_settings
from quietmove.addons.hall.tasks import outcome
from quietmove.addons.hall.values import GAME, MOST_POSITIONS, compared
from quietmove.engine.common.processes import python_command
from quietmove.referee.config.model import EngineConfig, TimeControl
from quietmove.referee.config.validation import adapter
from quietmove.referee.process import sandbox
from quietmove.tournament.errors import ConfigFileError
from tests.addons.hall.class_programs import ANSWER, TEMPLATE
from tests.addons.hall.classes import Asked, add_passed
from tests.addons.hall.halls import new_hall, served

EVALUATOR = """
import sys
for line in sys.stdin:
    board, side = line.split()
    print(board.count(side) - board.count("XO"[side == "X"]))
"""
SEARCH = """VALUE = 0


def minimax(board, color, own, depth):
    moves = legal_moves(board, color)
    if depth == 0 or not (moves or legal_moves(board, OTHER[color])):
        return sum(1 if each == own else -1 for each in board.values())
    values = []
    for move in moves:
        after = dict(board)
        play(after, color, move)
        values.append(minimax(after, OTHER[color], own, depth - 1))
    values = values or [minimax(board, OTHER[color], own, depth - 1)]
    return (max if color == own else min)(values)


def choose(board, color, moves):
    global VALUE
    VALUE = minimax(board, color, color, 1)
    return moves[0]


def main():"""
SEARCHER = TEMPLATE.replace("def main():", SEARCH).replace(
    ANSWER, 'print(f"{move[0]} {move[1]} # value {VALUE}" if move else "pass", flush=True)'
)
SETTINGS = f"""
[[assignment]]
name = "I"
limit = "depth=1"
evaluator = "{sys.executable} evaluator.py"
marks = ["check 40", "values 60"]
"""


@pytest.mark.skipif(bool(sandbox.missing_requirement()), reason=sandbox.missing_requirement())
def test_a_program_that_prints_the_right_values_earns_their_marks(tmp_path: Path) -> None:
    hall = new_hall(tmp_path / "course", ["Ada"], SETTINGS)
    (hall.folder / "evaluator.py").write_text(EVALUATOR)
    with served(hall):
        entry = hall.judged("Ada", SEARCHER)
        assert entry["state"] == "passed", entry["reason"]
        row = entry["report"]["examinations"][-1]
        assert (row["name"], row["status"]) == ("values", "ok"), row["text"]
        assert "values agree with minimax to depth 1" in row["text"]
        assert hall.client("Ada").get("/api/mark").json()["total"] == 100


@pytest.mark.parametrize("status", ["FAIL", "info", "skip"])
def test_other_values_earn_nothing(tmp_path: Path, status: str) -> None:
    asked = Asked(tmp_path / "course", SETTINGS)
    number = add_passed(asked.folder, "Ada", TEMPLATE, "I")
    report = {"build": None, "examinations": [outcome("values", status, "", 0.1)]}
    asked.hall.entries.decide(number, "passed", "", report)
    assert asked.client("Ada").get("/api/mark").json()["total"] == 40


def test_values_that_cannot_be_compared_are_not_wrong(tmp_path: Path) -> None:
    (tmp_path / "evaluator.py").write_text(EVALUATOR)
    command = f"{sys.executable} {tmp_path}/evaluator.py"
    assert compared([((), "6 5 # value 3")], 1, command) == ("ok", "1 of 1 values agree with minimax to depth 1")
    status, text = compared([((), "6 5 # value 3.1")], 1, command)
    assert (status, "in the initial position: must be 3, not 3.1" in text) == ("FAIL", True), text
    assert compared([((), "6 5"), ((), "6 5 # good")], 1, command)[0] == "info"
    for wrong in ("no-such-program", "false", f"{sys.executable} -c 'print(7)'", f"{sys.executable} -c 'print()'"):
        status, text = compared([((), "6 5 # value 3")], 2, wrong)
        assert status == "info"
        assert text.startswith("the teacher's evaluator does not work: ")
    for wrong in ("nan", "inf", "seven", "1 2"):
        status, text = compared([((), "6 5 # value 3")], 1, f"{sys.executable} -c \"print('{wrong}\\n' * 4)\"")
        assert (status, "evaluator does not work: it must print a finite number" in text) == ("info", True), wrong
        assert "seven" not in text, "students read this text"
    began = time.monotonic()
    status, text = compared([((), "6 5 # value 3")], 1, "yes 1")
    assert (status, "it printed 5,000,000 bytes or more" in text) == ("info", True), text
    assert time.monotonic() < began + values.EVALUATOR_SECONDS
    assert MOST_POSITIONS < 390_216  # the number of positions eight plies after the initial position
    assert compared([((), "6 5 # value 3")], 8, command) == ("info", "no value was compared: the trees are too large")


def test_values_may_be_missing_behind_forced_moves_only(tmp_path: Path) -> None:
    """Else a program could print the last value alone, which needs no search."""
    (tmp_path / "evaluator.py").write_text(EVALUATOR)
    command = f"{sys.executable} {tmp_path}/evaluator.py"
    position, forced = GAME.initial(), tuple[str, ...]()
    while position.perft(1) > 1:
        forced += (GAME.format_move(next(iter(position.legal_moves()))),)
        position.play(GAME.parse_move(position, forced[-1]))
    first = ((), "6 5 # value 3")
    assert compared([first, (forced, "1 1")], 1, command) == ("ok", "1 of 1 values agree with minimax to depth 1")
    status, text = compared([first, (forced[:2], "1 1")], 1, command)
    assert status == "FAIL"
    assert text.startswith(f"1 of 2 values agree with minimax to depth 1; after {''.join(forced[:2])}: must be ")
    assert text.endswith(", not missing")


def test_a_program_that_stops_after_its_first_value_earns_nothing(tmp_path: Path) -> None:
    (tmp_path / "evaluator.py").write_text(EVALUATOR)
    code = "input()\nprint('6 5 # value 3', flush=True)\ninput()\nprint('1 1', flush=True)\ninput()"
    engine = EngineConfig("program", (sys.executable, "-c", code), "project", limit=TimeControl(depth=1))
    evaluator = f"{sys.executable} {tmp_path}/evaluator.py"
    request = {"engine": adapter(EngineConfig).dump_python(engine), "evaluator": evaluator, "cpu": 0}
    done = subprocess.run(
        python_command(values.__name__), input=json.dumps(request), capture_output=True, text=True, check=True
    )
    outcome = json.loads(done.stdout)
    assert outcome["status"] == "FAIL"
    assert outcome["text"].startswith("the program did not finish the game in which it prints values: ")


def test_a_long_comment_is_read_at_once() -> None:
    began = time.process_time()
    assert compared([((), f"6 5 {'#' * 500_000} value ")], 1, "false")[0] == "info"
    assert time.process_time() - began < 5


@pytest.mark.parametrize("command", ["  ", "python3 'evaluator.py"])
def test_an_evaluator_is_a_command(tmp_path: Path, command: str) -> None:
    (tmp_path / "class.toml").write_text(f'limit = "depth=2"\nevaluator = "{command}"\n')
    with pytest.raises(ConfigFileError, match=r":2: evaluator: "):
        read_settings(tmp_path)


def test_an_evaluator_needs_a_depth(tmp_path: Path) -> None:
    (tmp_path / "class.toml").write_text(SETTINGS.replace("depth=1", "movetime=300"))
    with pytest.raises(ConfigFileError, match=r":4: assignment 'I': limit: must be depth=N with an evaluator"):
        read_settings(tmp_path)
