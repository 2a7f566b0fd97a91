"""The command ``suite``, on positions with values of plain minimax and on published ones."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from contextlib import redirect_stderr, redirect_stdout
from functools import partial
from io import StringIO
from pathlib import Path

import pexpect
import pytest

from quietmove.addons.measure import yardstick
from quietmove.addons.measure.problems import OTHELLO, read_problems
from quietmove.commands import run_command
from quietmove.engine.search.minimax import Minimax
from tests.e2e.test_planted_modules import mark, run_among_planted  # noqa: F401 (a fixture)
from tests.fakes.processes import WAIT

ROOT = Path(__file__).parents[3]
OURS = ROOT / "tests" / "golden" / "suite.obf"


COMMAND = [sys.executable, "-m", "quietmove", "suite"]


def suite(*arguments: object) -> subprocess.CompletedProcess[str]:
    """Run the command in this process."""
    words = ["suite", *map(str, arguments)]
    with redirect_stdout(StringIO()) as output, redirect_stderr(StringIO()) as errors:
        status = run_command(words)
    return subprocess.CompletedProcess(words, status, output.getvalue(), errors.getvalue())


def test_the_values_of_our_file_are_those_of_minimax() -> None:
    problems = read_problems(OURS)
    assert len(problems) == 17
    for problem in problems:
        position = problem.position()
        assert set(problem.values) == set(position.legal_moves())
        for move, value in problem.values.items():
            position.play(move)
            assert -Minimax(position).value(255) == value
            position.undo()


@pytest.mark.parametrize("options", [(), ("--threads", 2, "--hash", 1), ("--option", "Ordering=none", "--hash", 0)])
def test_an_exact_run_finds_every_value(options: tuple[object, ...]) -> None:
    done = suite(OURS, "--exact", "--json", *options)
    assert (done.returncode, done.stderr) == (0, "")
    found = json.loads(done.stdout)
    assert (found["positions"], found["best_moves"], found["within_3_discs"]) == (17, 17, 17)
    assert (found["mean_absolute_error"], found["mean_loss"]) == (0, 0)
    for problem, outcome in zip(read_problems(OURS), found["outcomes"], strict=True):
        assert outcome["line"] == problem.line
        assert outcome["score"] == outcome["listed"] == problem.best / 100
        assert problem.values[OTHELLO.parse_move(problem.position(), outcome["move"])] == problem.best
    assert found["nodes"] == sum(outcome["nodes"] for outcome in found["outcomes"]) > 0


def test_a_wrong_value_is_a_failure_of_an_exact_run_alone(tmp_path: Path) -> None:
    lines = OURS.read_text(encoding="utf-8").splitlines()
    head, first, *rest = lines[2].split("; ")
    wrong = tmp_path / "two\nlines.obf"
    wrong.write_text("\n".join([*lines[:2], "; ".join([head, first[:3] + "+64", *rest])]), encoding="utf-8")
    done = suite(wrong, "--exact")
    assert done.returncode == 1
    assert r"two\nlines.obf:3: the best listed value is +64" in done.stderr
    assert done.stderr.count("\n") == 1
    assert suite(wrong, "--depth", 2).returncode == 0


def test_the_figures_for_a_person() -> None:
    done = suite(OURS, "--depth", 2, "-v")
    assert (done.returncode, done.stderr) == (0, "")
    *lines, title, _, found, close = done.stdout.splitlines()[:21]
    assert len(lines) == 17
    assert all(line.startswith("line ") for line in lines)
    assert title == "suite.obf: 17 positions, depth 2"
    assert found.startswith("best move found ")
    assert close.startswith("within 3 discs ")


def test_a_file_that_lists_one_move_only(tmp_path: Path) -> None:
    """A move whose value is not listed is no best move, and what it loses is not known."""
    file = tmp_path / "partial.obf"
    for line in OURS.read_text(encoding="utf-8").splitlines()[1:]:
        board, *moves = [part for part in line.partition("%")[0].split("; ") if part.strip()]
        if len(moves) > 2 and moves[-1].strip()[3:] != moves[0][3:]:
            file.write_text(f"{board}; {moves[-1]}", encoding="utf-8")
            break
    found = json.loads(suite(file, "--exact", "--json").stdout)
    assert (found["best_moves"], found["mean_loss"], found["outcomes"][0]["loss"]) == (0, None, None)


BOARD = "-" * 27 + "OX" + "-" * 6 + "XO" + "-" * 27


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("# only\n% comments\n", "contains no positions"),
        (f"\n{BOARD} X; F5:+4; D9:+2;", ":2: 'D9' is not a move"),
        (f"{BOARD} X; A1:+4;", ":1: 'A1' is not legal here"),
        (f"{BOARD} X; F5=4;", ":1: must be a move with its value .*, not 'F5=4'"),
        (f"{BOARD} X; F5:+65;", ":1: must be a move with its value from -64 to \\+64"),
        (f"{BOARD} X; F5:+4; f5:+4;", ":1: two values for move 'f5'"),
        (f"{BOARD} X;", ":1: no moves with values"),
        (f"{BOARD} Z; F5:+4;", ":1: side to move: must be X or O, not 'Z'"),
        (f"{'X' * 64} X; F5:+4;", ":1: the position has no legal moves"),
    ],
)
def test_a_wrong_file(tmp_path: Path, text: str, message: str, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "wrong.obf"
    file.write_text(text, encoding="utf-8")
    assert run_command(["suite", str(file), "--exact"]) == 2
    said, error = capsys.readouterr()
    assert said == ""
    assert re.search(f"^error: {re.escape(str(file))}:? ?{message}", error)
    assert error.count("\n") == 1


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((), "expected one of --exact, --depth and --nodes, got none"),
        (("--exact", "--depth", 3), "got --exact and --depth"),
        (("--exact", "--option", "Ordering"), "must be NAME=VALUE, not 'Ordering'"),
        (("--exact", "--option", "Game=nim"), "not 'Game'"),
    ],
)
def test_a_wrong_command_line(arguments: tuple[object, ...], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run_command(["suite", *map(str, (OURS, *arguments))]) == 2
    said, error = capsys.readouterr()
    assert said == ""
    assert message in " ".join(error.split())


def test_an_interrupt_ends_a_run_at_once(tmp_path: Path) -> None:
    """Both searches would take hours: the process ends because they are stopped."""
    file = tmp_path / "long.obf"
    file.write_text(f"{OTHELLO.format_position(OTHELLO.initial())}; F5:+0;\n" * 4, encoding="utf-8")
    first = OURS.read_text(encoding="utf-8").splitlines()[1]
    file.write_text(first + "\n" + file.read_text(encoding="utf-8"), encoding="utf-8")
    spawn = pexpect.spawn(COMMAND[0], [*COMMAND[1:], str(file), "--exact", "--threads", "2"], timeout=WAIT)
    spawn.expect("1/5")
    spawn.sendintr()
    spawn.expect(pexpect.EOF)
    spawn.close()
    assert spawn.exitstatus == 130
    assert b"Traceback" not in spawn.before


def test_the_yardstick_makes_its_nodes_and_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    nodes = 0
    for own, opp in yardstick.POSITIONS:
        search = yardstick.Yardstick()
        search.value(own, opp)
        nodes += search.nodes
    assert nodes == yardstick.NODES
    assert "v3" not in str(yardstick.__file__)
    monkeypatch.setattr(yardstick, "measure", partial(yardstick.measure, 1))
    found = json.loads(suite(OURS, "--depth", 1, "--yardstick", "--json").stdout)
    assert found["yardsticks"] == found["cpu_seconds"] / found["yardstick_seconds"] > 0


@pytest.mark.soak
def test_the_workers_of_a_suite_import_nothing_of_the_working_folder(tmp_path: Path, mark: Path) -> None:  # noqa: F811
    (tmp_path / "suite.obf").write_text(f"{BOARD} X; F5:+0;\n" * 2)
    run_among_planted(tmp_path, mark, ("quietmove", "suite", "../suite.obf", "--depth", "1", "--threads", "2"))
