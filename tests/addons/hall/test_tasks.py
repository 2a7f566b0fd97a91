"""Assignments of tasks: the answers are right, and programs are asked in the sandbox."""

from __future__ import annotations

from functools import reduce
from operator import xor
from pathlib import Path

import pytest

import quietmove.addons.hall
from quietmove.addons.hall.settings import read_settings
from quietmove.addons.hall.tasks import QUESTIONS, TASKS, alpha_beta, questions
from quietmove.engine.games.registry import get_game
from quietmove.referee.process import sandbox
from quietmove.tournament.errors import ConfigFileError
from tests.addons.hall.classes import Asked
from tests.addons.hall.halls import new_hall, served

SOLVER = """
import ast, sys
LINES = [(0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6)]
def winner(cells):
    return next((cells[a] for a, b, c in LINES if cells[a] != "-" and cells[a] == cells[b] == cells[c]), None)
def nodes(cells, side):
    if winner(cells) or "-" not in cells:
        return 1
    places = [place for place in range(9) if cells[place] == "-"]
    return 1 + sum(nodes(cells[:each] + side + cells[each + 1:], "XO"[side == "X"]) for each in places)
def value(tree, choose=max):
    return tree if isinstance(tree, int) else choose(value(each, min if choose is max else max) for each in tree)
for line in sys.stdin:
    task, *words = line.split()
    if task == "winner":
        print({"X": 1, "O": -1, None: 0}[winner(words[0])])
    elif task == "nodes":
        print(549946 if words[0] == "-" * 9 else nodes(*words))
    elif task == "tree-value":
        print(value(ast.literal_eval(words[0])))
    elif task == "nim":
        print(sum(map(int, words[0].split(","))))
"""
SETTINGS = """
check_seconds = 40
[[assignment]]
name = "search"
tasks = ["winner", "nodes", "tree-value", "nim"]
marks = ["check 20", "tasks 80"]
"""


@pytest.mark.skipif(bool(sandbox.missing_requirement()), reason=sandbox.missing_requirement())
def test_programs_are_asked_in_the_sandbox_and_told_what_is_wrong(tmp_path: Path) -> None:
    hall = new_hall(tmp_path / "course", ["Ada", "Bob", "Cleo"], f"ladder = false{SETTINGS}")
    with served(hall):
        found = hall.judged("Ada", SOLVER)
        assert found["state"] == "passed", found["reason"]
        rows = {row["name"]: row for row in found["report"]["examinations"]}
        assert [row["status"] for row in rows.values()] == ["ok", "ok", "ok", "FAIL"]
        assert rows["nodes"]["text"] == f"{QUESTIONS} of {QUESTIONS} answers are right"
        asked = [line.removeprefix("0 > ") for line in rows["nim"]["evidence"]["dialogue"][::2]]
        question = next(each for each in asked if _sum(each) != _xor(each))
        assert len(asked) == QUESTIONS
        assert f"{question}: must be {_xor(question)}, not '{_sum(question)}'" in rows["nim"]["text"]
        mark = hall.client("Ada").get("/api/mark").json()
        assert [(part["points"], part["reason"]) for part in mark["parts"]] == [
            (20, "version 1 passed"),
            (60.0, "3 of 4 tasks solved"),
        ]
        assert (
            hall.client("Ada").post("/api/sessions", json={"entry": found["entry"], "color": "black"}).status_code
            == 404
        )
        known = dict(
            each for number in range(10) for each in questions("nim", number)
        )  # as if the seeds were the version numbers
        foreseen = f"for line in open(0): print({known}.get(line.strip(), 7))"
        for program, words in (
            ("import sys\nprint(open('/proc/1/environ').read())", "no task was solved; 0 of 10"),
            ("raise SystemExit(3)", "not nothing: the program ended with status 3"),
            ("import time\ntime.sleep(1000)", "not nothing: the program did not end within 30 s"),
            (foreseen, "no task was solved; "),
            ("while True: print(1)", "no task was solved; "),
            (SOLVER + "print(7)", "10 of 10 answers are right, but it wrote 11 lines"),
            (SOLVER + "raise SystemExit(2)", "10 of 10 answers are right, but it ended with status 2"),
        ):
            found = hall.judged("Bob", program)
            assert found["state"] == "refused"
            assert words in found["reason"] + found["report"]["examinations"][0]["text"], found["reason"]


def _xor(question: str) -> int:
    return reduce(xor, map(int, question.split()[1].split(",")))


def _sum(question: str) -> int:
    return sum(map(int, question.split()[1].split(",")))


def test_the_examples_of_the_guide_are_questions() -> None:
    guide = (Path(quietmove.addons.hall.__file__).parent / "README.md").read_text()
    for name in TASKS:
        assert any(f"| `{question}` | `{answer}` |" in guide for question, answer in questions(name, 1)), name


def test_the_answers_are_those_of_the_guides() -> None:
    assert questions("nodes", 1)[0] == ("nodes --------- X", "549946")
    lecture = "[[3,5,6],[1,2,0],[9,7,8]]"
    assert questions("tree-value", 1)[0] == (f"tree-value {lecture}", "7")
    assert questions("tree-leaves", 1)[0] == (f"tree-leaves {lecture}", "7")
    assert alpha_beta([3, [5, 2], [[1, 4], 7]]) == (4, 6)
    for name in TASKS:
        assert questions(name, 1) == questions(name, 1)
        assert questions(name, 1) != questions(name, 2)


@pytest.mark.parametrize(("task", "name"), [("nodes", "tictactoe"), ("connect-nodes", "connect")])
def test_trees_have_as_many_positions_as_the_engine_counts(task: str, name: str) -> None:
    game = get_game(name)
    for question, answer in questions(task, 5):
        position = game.parse_position(question.split()[1:])
        if position.moves_left() == game.initial().moves_left():
            continue  # its tree is large, and its size is known
        counts, depth = [1], 0
        while position.moves_left() > depth:
            depth += 1
            counts.append(_reached(position, depth))
        assert sum(counts) == int(answer), question


def _reached(position: object, depth: int) -> int:
    """Return the number of positions exactly so many plies away."""
    from quietmove.engine.games.base import Position

    assert isinstance(position, Position)
    if depth == 0:
        return 1
    found = 0
    for move in position.legal_moves():
        position.play(move)
        found += _reached(position, depth - 1)
        position.undo()
    return found


@pytest.mark.parametrize(
    ("task", "name"), [("value", "tictactoe"), ("connect-value", "connect"), ("best", "tictactoe")]
)
def test_values_and_moves_are_those_of_winner(task: str, name: str) -> None:
    lab = pytest.importorskip("quietmove.addons.lab.winner")
    game = get_game(name)
    for question, answer in questions(task, 9):
        value, move = lab.best(game.parse_position(question.split()[1:]))
        assert answer == (move if task == "best" else str(value)), question


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ('tasks = ["chess"]', ":3: assignment.0.tasks.0: must be one of winner, value, best"),
        ('tasks = ["nim"]\nlimit = "depth=4"', ":4: assignment.0.limit: must not be given with tasks"),
        ('tasks = ["nim"]\nmarks = ["final 100"]', ":4: assignment.0.marks.0: must be one of check, tasks"),
    ],
)
def test_a_wrong_assignment_of_tasks_is_told(tmp_path: Path, text: str, error: str) -> None:
    (tmp_path / "class.toml").write_text(f'[[assignment]]\nname = "search"\n{text}\n')
    with pytest.raises(ConfigFileError) as raised:
        read_settings(tmp_path)
    assert f"class.toml{error}" in str(raised.value)


def test_tasks_have_no_ladder_and_no_final(tmp_path: Path) -> None:
    asked = Asked(tmp_path / "course", f'finals = ["swiss"]\ngoals = ["random 2-0"]{SETTINGS}')
    (settings,) = asked.hall.settings.assignments
    assert (settings.ladder, settings.finals, settings.goals) == (False, (), ())
    assert asked.hall.settings.ladders == ()
    assert asked.client("teacher").put("/api/ladder", json={"wanted": "running"}).status_code == 409
    assert "4 tasks, 40 s for all of them" in asked.client("Ada").get("/api/me").json()["limit_text"]
