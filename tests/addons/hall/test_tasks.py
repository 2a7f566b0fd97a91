"""Assignments of tasks, whose programs run in the sandbox: each language, hostile programs, kills."""

from __future__ import annotations

import asyncio
import io
import json
import re
import shutil
import socket
import zipfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import reduce
from operator import xor
from pathlib import Path

import psutil
import pytest
from click.testing import CliRunner

import quietmove.addons.hall
from quietmove.addons.hall.building import read_player
from quietmove.addons.hall.settings import read_settings
from quietmove.addons.hall.tasks import QUESTIONS, TASKS, alpha_beta, questions
from quietmove.addons.hall.unpack import unpack
from quietmove.engine.games.base import Position
from quietmove.engine.games.registry import get_game
from quietmove.referee.errors import SetupError
from quietmove.referee.game.record import GameRecord
from quietmove.referee.process import sandbox
from quietmove.tournament.errors import ConfigFileError
from tests.addons.hall.class_programs import HOSTILE, NIM, hostile, packed, random_player
from tests.addons.hall.classes import Asked, add_passed
from tests.addons.hall.halls import WAITING, HallServer, new_hall, served
from tests.fakes.processes import wait_until

NEEDS_SANDBOX = pytest.mark.skipif(bool(sandbox.missing_requirement()), reason=sandbox.missing_requirement())
SOAK = pytest.mark.soak
PEOPLE = ["Ada", "Bob", "Cleo", "Dan"]
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
uploads_an_hour = 1000
check_seconds = 20
examiners = 2
finals = ["swiss"]
goals = ["random 2-0"]
[[assignment]]
name = "nim"
tasks = ["nim"]
[[assignment]]
name = "search"
tasks = ["winner", "nodes", "tree-value", "nim"]
marks = ["check 20", "tasks 80"]
"""


@pytest.fixture(scope="module")
def hall(tmp_path_factory: pytest.TempPathFactory) -> Iterator[HallServer]:
    with served(new_hall(tmp_path_factory.mktemp("tasks") / "course", PEOPLE, SETTINGS)) as hall:
        yield hall


@NEEDS_SANDBOX
def test_each_task_is_asked_and_the_first_wrong_answer_is_told(hall: HallServer) -> None:
    found = hall.judged("Ada", SOLVER, assignment="search")
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
    body = {"entry": found["entry"], "color": "black"}
    assert hall.client("Ada").post("/api/sessions", json=body).status_code == 404


# As if the seeds were the version numbers.
KNOWN = dict(each for number in range(10) for each in questions("nim", number))


@NEEDS_SANDBOX
@pytest.mark.parametrize(
    ("program", "words"),
    [
        ("import sys\nprint(open('/proc/1/environ').read())", "no task was solved; 0 of 10"),
        ("raise SystemExit(3)", "not nothing: the program ended with status 3"),
        ("import time\ntime.sleep(1000)", "not nothing: the program did not end within 15 s"),
        (f"for line in open(0): print({KNOWN}.get(line.strip(), 7))", "no task was solved; "),
        ("while True: print(1)", "no task was solved; "),
        (NIM["player.py"] + "print(7)", "10 of 10 answers are right, but it wrote 11 lines"),
        (NIM["player.py"] + "raise SystemExit(2)", "10 of 10 answers are right, but it ended with status 2"),
    ],
    ids=["spies", "crashes", "hangs", "foresees", "floods", "adds", "fails"],
)
def test_a_program_that_solves_no_task_is_told_why(hall: HallServer, program: str, words: str) -> None:
    found = hall.judged("Bob", program)
    assert found["state"] == "refused"
    assert words in found["reason"] + found["report"]["examinations"][0]["text"], found["reason"]


COMMAND_FILE = 'main = "run"\nlanguage = "command"\n'
LANGUAGES = {
    "c": (NIM["player.c"], "player.c", "cc"),
    "c-folder": ({"README.md": "", "src/player.c": NIM["player.c"]}, "a.zip", "cc"),
    "cxx": (NIM["player.cpp"], "solver.cxx", "c++"),
    "java-name": (NIM["Player.java"].replace("class Player", "class Othello"), "Othello (1).java", "javac"),
    "java-package": (f"package edu.roch;\n{NIM['Player.java']}", "Player.java", "javac"),
    "rust": (NIM["player.rs"], "player.rs", "rustc"),
    "folder": (
        {"mine/player.py": NIM["player.py"], "mine/player.toml": 'arguments = ["{seed}"]\n', "__MACOSX/._x": ""},
        "a.zip",
        "python3",
    ),
    "command": (
        {"run": f"#!/usr/bin/env python3\n{NIM['player.py']}", "player.toml": COMMAND_FILE},
        "a.ZIP",
        "python3",
    ),
    "one-script": ({"a.py": NIM["player.py"]}, "b.zip", "python3"),
}
IN_SOAK = ("cxx", "java-name", "rust")


@NEEDS_SANDBOX
@pytest.mark.parametrize("name", [pytest.param(name, marks=[SOAK] * (name in IN_SOAK)) for name in LANGUAGES])
def test_each_language_is_built_and_runs(hall: HallServer, name: str) -> None:
    files, file, program = LANGUAGES[name]
    if not shutil.which(program):
        pytest.skip(f"there is no {program}")
    found = hall.judged("Cleo", files if isinstance(files, str) else packed(files), file)
    assert found["state"] == "passed", found["reason"]
    names = [{"rust": "main.rs", "cxx": "player.cxx", "java-name": "Othello.java"}.get(name, file)]
    if isinstance(files, dict):
        names = sorted(each.removeprefix("mine/") for each in files if "MACOSX" not in each)
    source = hall.client("Cleo").get(f"{found['url']}/source").content
    assert zipfile.ZipFile(io.BytesIO(source)).namelist() == names


@NEEDS_SANDBOX
def test_what_the_compiler_says_is_told(hall: HallServer) -> None:
    found = hall.judged("Cleo", "int main(void) { return missing; }", "player.c")
    assert found["state"] == "refused"
    assert re.fullmatch(r"compiling failed: \./player\.c:1:\d+: error: .*missing.*", found["reason"])
    assert any("missing" in line for line in found["report"]["build"]["output"])


@NEEDS_SANDBOX
@pytest.mark.parametrize(
    ("program", "words"),
    [
        ("import pandas", "; besides its own files and the standard library, a program can import no packages"),
        ("import pip", "No module named 'pip'"),  # the interpreter has it, but the class does not allow it
        ("open(__file__ + '/x')", "Not a directory: 'player.py/x'"),
        ("import sys; sys.exit(f'{__file__} is in {sys.path[0]}')", r'"player.py is in \u2026/source"'),
        ("open('/dan/weights.txt')", r"No such file or directory: '\u2026/weights.txt'"),
    ],
)
def test_a_message_names_what_is_allowed_and_no_path_of_the_server(hall: HallServer, program: str, words: str) -> None:
    found = json.dumps(hall.judged("Dan", program))
    assert words in found
    assert str(hall.folder) not in found
    assert ('File \\"player.py\\", line 1' in found) == ("exit" not in program)


def test_a_game_by_hand_ends_without_a_path_of_the_server(tmp_path: Path) -> None:
    asked = Asked(tmp_path / "course")
    number = add_passed(asked.folder, "Ada", random_player(1))
    entry = asked.hall.entries.get(number)
    assert entry is not None

    async def verdict() -> dict[str, str] | None:
        name = asked.hall.play_by_hand(asked.hall.people.by_name("Bob"), entry, "black")
        session = asked.hall.sessions.sessions[name]
        said = (
            f"Ada (white) ended with status 1; its standard error ends with: {asked.folder}/entries/1/source/player.py"
        )
        session.game_ended(GameRecord(session.spec, (), "crash", "white", 1.0, 64, said))
        found = session.verdict
        asked.hall.end_by_hand("Bob")
        return found

    found = asyncio.run(verdict())
    assert found is not None
    assert found["detail"].endswith("ends with: player.py")


@NEEDS_SANDBOX
@pytest.mark.parametrize(
    ("first_line", "words"),
    [
        ("#!/bin/sh\r\n", "run: the first line ends with CR LF, as on Windows, so that the system looks for"),
        ("#!/usr/bin/no-such\n", "run: the interpreter in its first line, /usr/bin/no-such, does not exist here"),
        ("#!/usr/bin/env no-such\n", "run: the interpreter in its first line, no-such, does not exist here"),
    ],
)
def test_an_interpreter_that_does_not_exist_is_named(hall: HallServer, first_line: str, words: str) -> None:
    found = hall.judged("Dan", packed({"player.toml": COMMAND_FILE, "run": f"{first_line}echo 0\n"}), "a.zip")
    assert found["reason"].startswith(words)


@pytest.mark.timeout(60)
@pytest.mark.parametrize("text", ["/*", '\\"', "\n", "\\'", "public ", "main (", "class "])
def test_a_hostile_java_file_takes_no_time(tmp_path: Path, text: str) -> None:
    unpack(io.BytesIO(text.encode() * (7_000_000 // len(text))), "A.java", tmp_path / "source")
    with pytest.raises(SetupError, match="no class has the method"):
        read_player(tmp_path / "source", ("java",))


MAIN = "{}class {} {{ static class Node {{}} /* main(String */ public static void main(String[] a) {{}} }}"


@pytest.mark.parametrize(
    ("files", "main"),
    [
        ({"a/Othello.java": MAIN.format("package a;\npublic ", "Othello"), "B.java": "class B {}"}, "a.Othello"),
        ({"Player.java": MAIN.format("", "Player"), "B.java": MAIN.format("", "B")}, "Player"),
        ({"Player.java": "class Board {} " + MAIN.format("", "Game")}, "Game"),
        ({"A.java": MAIN.format("", "A"), "B.java": MAIN.format("", "B")}, 'the line main = "A"'),
        ({"A.java": 'class A { String s = "main(String"; }'}, "no class has the method public static void main"),
    ],
)
def test_the_class_with_main_is_found(tmp_path: Path, files: dict[str, str], main: str) -> None:
    unpack(io.BytesIO(packed(files)), "a.zip", tmp_path / "source")
    try:
        found = str(read_player(tmp_path / "source", ("java",)).main)
    except SetupError as error:
        found = str(error)
        assert found.startswith("main: ")
    assert found.endswith(main) or main in found.partition(": ")[2]


@NEEDS_SANDBOX
def test_a_program_called_like_an_interpreter_runs_in_the_sandbox_alone(hall: HallServer, tmp_path: Path) -> None:
    program = packed(
        {"player.toml": COMMAND_FILE.replace("run", "python3"), "python3": f"#!/bin/sh\ntouch {tmp_path}/mark\n"}
    )
    assert hall.judged("Dan", program, "player.zip")["state"] == "refused"
    assert not (tmp_path / "mark").exists()


@NEEDS_SANDBOX
def test_the_first_line_of_a_program_names_no_file_of_the_class(hall: HallServer) -> None:
    program = packed({"player.toml": COMMAND_FILE, "run": "#!../../../hall.sqlite\n"})
    found = hall.judged("Dan", program, "player.zip")
    assert "its first line must name an interpreter" in found["reason"]
    assert str(hall.folder) not in found["reason"]


# Programs that attack others run in every test run, the other hostile programs only in soak tests.
REACHING = ("files", "network", "others", "secrets", "fork-bomb", "outlives")


@NEEDS_SANDBOX
@pytest.mark.parametrize("name", [pytest.param(name, marks=[SOAK] * (name not in REACHING)) for name in HOSTILE])
def test_a_hostile_program_harms_nobody(hall: HallServer, name: str) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        found = hall.judged("Dan", hostile(name, server.getsockname()[1]))
    assert found["state"] == "refused"
    first = found["report"]["examinations"][0]
    said = first["evidence"]["stderr"]
    if "say(" in HOSTILE[name] and name != "flood-of-errors":
        assert said, first
        assert said[-1].endswith("[]"), said
    if name in ("memory", "files-in-memory"):
        what = " ".join([first["text"], *said])  # the sandbox's disk is as large as the memory limit
        assert "memory limit of 256 MiB" in what or "No space left on device" in what or "MemoryError" in what
    assert hall.process is not None
    running = psutil.Process(hall.process.pid).children(recursive=True)
    assert not [each for each in running if "player.py" in " ".join(_words(each))]


def _words(process: psutil.Process) -> list[str]:
    with suppress(psutil.Error):
        return list(process.cmdline())
    return []


@NEEDS_SANDBOX
def test_many_uploads_at_once_are_all_checked(hall: HallServer) -> None:
    with ThreadPoolExecutor(len(PEOPLE)) as pool:
        answers = list(pool.map(lambda name: hall.hand_in(name, "raise SystemExit"), PEOPLE))
    assert [answer.status_code for answer in answers] == [202] * len(PEOPLE)
    numbers = [answer.json()["entry"] for answer in answers]
    assert len(set(numbers)) == len(PEOPLE)
    decided = [hall.decided(name, number) for name, number in zip(PEOPLE, numbers, strict=True)]
    assert {each["state"] for each in decided} == {"refused"}


SLOW_NIM = NIM["player.py"].replace("    print", "    import time; time.sleep(0.3); print")


@NEEDS_SANDBOX
@pytest.mark.parametrize("kind", ["task", *(pytest.param(kind, marks=SOAK) for kind in ("game", "check", "compiler"))])
def test_a_version_is_checked_again_once_after_a_kill(tmp_path: Path, kind: str) -> None:
    """The kernel kills what it likes when the machine has no memory left."""
    if kind == "compiler" and not shutil.which("cc"):
        pytest.skip("there is no compiler")

    def is_meant(words: list[str]) -> bool:
        if kind == "check":
            return "quietmove.referee" in words and "check" in words
        name, argument = ("cc1", "player.c") if kind == "compiler" else ("python3", "player.py")
        return bool(words) and words[0].endswith(name) and argument in words and "quietmove.referee" not in words

    def kill(count: int) -> None:
        """Kill so many of the server's processes that are meant, one after another."""
        assert own.process is not None
        server, killed = psutil.Process(own.process.pid), set[int]()

        def is_done() -> bool:
            for each in server.children(recursive=True):
                if each.pid not in killed and is_meant(_words(each)):
                    killed.add(each.pid)
                    with suppress(psutil.NoSuchProcess):
                        each.kill()
            return len(killed) >= count

        wait_until(is_done)

    slow = random_player(1).replace("return random", "import time; time.sleep(len(board) < 5); return random")
    slow_c = NIM["player.c"] + "".join(
        f"int f{number}(int x) {{ return x / {number} + {number}; }}\n" for number in range(1, 3_000)
    )
    program = (slow_c, "player.c") if kind == "compiler" else (SLOW_NIM if kind == "task" else slow, "player.py")
    settings = 'examiners = 1\nbuild_seconds = 120\nrequired = ["first-move"]\nlimit = "movetime=5000"\n'
    settings += '[[assignment]]\nname = "nim"\ntasks = ["nim"]\n' if kind in ("task", "compiler") else ""
    with served(new_hall(tmp_path / "course", ["Ada"], settings)) as own:
        entry = own.hand_in("Ada", *program).json()["entry"]
        for kills, state in ((1, "passed"), (1, "passed"), (2, "refused")):
            kill(kills)
            found = own.decided("Ada", entry)
            assert found["state"] == state, found["reason"]
            if state == "passed":
                assert own.client("teacher").post(f"{found['url']}/check", json={}).status_code == 200
        assert found["reason"]


@NEEDS_SANDBOX
@pytest.mark.parametrize("state", [WAITING[0], *(pytest.param(state, marks=SOAK) for state in WAITING[1:])])
def test_a_killed_server_goes_on_with_what_it_has_received(tmp_path: Path, state: str) -> None:
    own = new_hall(tmp_path / "course", PEOPLE, SETTINGS.replace("examiners = 2", "examiners = 1"))
    own.start()
    first = own.hand_in("Ada", "import time\ntime.sleep(3)\n").json() if state == "received" else None
    second = own.hand_in("Bob", *((NIM["player.c"], "player.c") if shutil.which("cc") else (SLOW_NIM,))).json()
    wait_until(lambda: own.entry("Bob", second["entry"])["state"] in (state, "passed", "refused"))
    own.kill()
    half = own.folder / "incoming" / "half"
    half.mkdir()
    with served(own):
        assert own.decided("Bob", second["entry"])["state"] == "passed"
        if first:
            assert own.decided("Ada", first["entry"])["state"] == "refused"
        assert len(own.client("teacher").get("/api/entries").json()["entries"]) == (2 if first else 1)
    assert not half.exists()


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
    assert questions("leaves", 1)[0] == ("leaves --------- X", "255168")
    assert questions("pruned-nodes", 1)[0] == ("pruned-nodes --------- X", "18297")
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


@pytest.mark.parametrize(("task", "name"), [("leaves", "tictactoe"), ("connect-leaves", "connect")])
def test_trees_have_as_many_leaves_as_the_engine_counts(task: str, name: str) -> None:
    for question, answer in questions(task, 5)[1:]:
        position = get_game(name).parse_position(question.split()[1:])
        assert position.perft(position.moves_left()) == int(answer), question


def test_nim_s_winner_and_move_are_those_of_the_laboratory() -> None:
    lab = pytest.importorskip("quietmove.addons.lab.winner")
    answers = set[str]()
    for question, answer in [*questions("nim-win", 5), *questions("nim-best", 5)]:
        task, piles = question.split()
        done = CliRunner().invoke(lab.winner, [piles, "--game", "nim"])
        answers.add(answer)
        assert done.output.strip() == (answer if task == "nim-win" else str(answer != "none")), question
        if answer not in ("True", "False", "none"):
            pile, stones = map(int, answer.split("-"))
            after = list(map(int, piles.split(",")))
            after[pile - 1] -= stones
            assert (stones > 0, after[pile - 1] >= 0, reduce(xor, after)) == (True, True, 0), question
    assert {"True", "False", "none"} < answers


def _reached(position: Position, depth: int) -> int:
    """Return the number of positions exactly so many plies away."""
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
        ('tasks = ["chess"]', ":3: assignment 'search': tasks 1: must be one of winner, value, best"),
        ('tasks = ["nim"]\nlimit = "depth=4"', ":4: assignment 'search': limit: must not be given with tasks"),
        ('tasks = ["nim"]\nmarks = ["final 100"]', ":4: assignment 'search': marks 1: must be one of check, tasks"),
    ],
)
def test_a_wrong_assignment_of_tasks_is_told(tmp_path: Path, text: str, error: str) -> None:
    (tmp_path / "class.toml").write_text(f'[[assignment]]\nname = "search"\n{text}\n')
    with pytest.raises(ConfigFileError) as raised:
        read_settings(tmp_path)
    assert f"class.toml{error}" in str(raised.value)


def test_tasks_have_no_ladder_and_no_final(tmp_path: Path) -> None:
    asked = Asked(tmp_path / "course", SETTINGS)
    settings = asked.hall.settings.assignments[1]
    assert (settings.ladder, settings.finals, settings.goals) == (False, (), ())
    assert asked.hall.settings.ladders == ()
    assert asked.client("teacher").put("/api/ladder", json={"wanted": "running"}).status_code == 409
    assert asked.client("Ada").get("/api/me").json()["limit_text"] == "1 task, 20 s in all: nim"
