"""``quietmove book``: what it shows, its errors, and a build that was killed."""

from __future__ import annotations

import re
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from quietmove.commands import run_command
from quietmove.engine.games.othello.opening_names import TABLE, opening_moves
from tests.fakes.processes import run_module

COMMAND = [sys.executable, "-m", "quietmove", "book"]
TINY = ["--positions", "90", "--depth", "2", "--exact", "6"]


@pytest.fixture
def show(capsys: pytest.CaptureFixture[str]) -> Callable[..., str]:
    """Return a function that runs ``quietmove book show`` in this process and returns what it printed."""

    def printed(*arguments: str) -> str:
        assert run_command(["book", "show", *arguments]) == 0
        return capsys.readouterr().out

    return printed


def kill_build(folder: Path) -> list[int]:
    """Kill a build after its fourth batch; return the positions that it had counted, or nothing if it had ended."""
    command = [*COMMAND, "build", "cut.book", *TINY, "--work", "cut", "--processes", "2"]
    with subprocess.Popen(command, cwd=folder, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        counts = [int(process.stderr.readline().split()[0]) for _ in range(4)]
        process.send_signal(signal.SIGKILL)
        process.stderr.read()  # returns once the workers have exited too
    return [] if (folder / "cut.book").exists() else counts


def test_a_book_that_was_built_is_shown(
    folder: Path, show: Callable[..., str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert run_command(["book", "build", "whole.book", "--positions", "20", *TINY[2:], "--processes", "1"]) == 0
    size = (folder / "whole.book").stat().st_size
    printed = capsys.readouterr().out
    assert re.fullmatch(rf"whole\.book: \d+ positions, {size:,} bytes; \d+ seconds\n", printed)
    assert show("--file", "whole.book").startswith("Black to move: 4 of 4 moves known\n")


@pytest.mark.soak
def test_a_build_that_was_killed_goes_on_to_the_same_bytes(tmp_path: Path) -> None:
    run_module(tmp_path, "quietmove", "book", "build", "whole.book", *TINY, "--processes", "1")
    while not (counts := kill_build(tmp_path)):  # on a busy machine, a build may finish before it is killed
        (tmp_path / "cut.book").unlink()
        (tmp_path / "cut").unlink()
    assert counts[0] == 1
    assert counts == sorted(set(counts))
    run_module(tmp_path, "quietmove", "book", "build", "cut.book", *TINY, "--work", "cut", "--processes", "2")
    assert (tmp_path / "cut.book").read_bytes() == (tmp_path / "whole.book").read_bytes()


def test_the_moves_of_the_shipped_book_are_shown(show: Callable[..., str]) -> None:
    lines = show("f5", "d6").splitlines()
    assert max(map(len, lines)) <= 80
    assert re.fullmatch(r"Black to move: \d of 5 moves known", lines[0])
    assert lines[1].split() == ["move", "value", "depth", "positions", "line"]
    rows = [line.split() for line in lines[2:]]
    assert {"c4", "c3"} <= {row[0] for row in rows} <= {"c3", "c4", "c5", "c6", "c7"}
    numbers = [float(row[1]) for row in rows]
    assert numbers == sorted(numbers, reverse=True)
    squares = "OOOOOOOO" * 4 + "XXXXXXXX" * 3 + "XX------"
    assert show("--position", f"{squares} X") == "Black to move: the book has no move here\n"


def test_what_the_shipped_book_holds_is_counted(show: Callable[..., str]) -> None:
    lines = show("--stats").splitlines()
    assert max(map(len, lines[1:])) <= 80
    rows = [[int(cell.replace(",", "")) for cell in line.split()] for line in lines[3:-1]]
    assert rows[0] == [0, 1, 1]
    assert rows[1] == [1, 1, 1]
    assert all(known <= count for _, count, known in rows)
    assert rows[-1][2] == 0
    total = [sum(row[column] for row in rows) for column in (1, 2)]
    assert lines[-1].split() == ["all", *(f"{count:,}" for count in total)]
    assert f": {total[0]:,} positions, " in lines[0]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["show", "f5", "f5"], "error: move 2: 'f5' is not legal here; legal: f4 d6 f6"),
        (["show", "--position", "X"], "error: position: must have 2 fields (64 squares and the side to move), not 1"),
        (["show", "f5", "--stats"], "--stats cannot be combined with MOVES or --position"),
        (["show", "--file", "none.book"], "error: book: none.book: No such file or directory"),
        (["build", "nowhere/x.book"], "error: book: nowhere/x.book: must be a file in an existing folder"),
    ],
)
def test_what_is_not_allowed_is_one_error(
    arguments: list[str], message: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run_command(["book", *arguments]) == 2
    assert message in capsys.readouterr().err
    assert list(folder.iterdir()) == []


def test_the_names_are_listed_with_their_moves(capsys: pytest.CaptureFixture[str]) -> None:
    assert run_command(["book", "names"]) == 0
    rows = capsys.readouterr().out.splitlines()
    assert len(rows) == len(opening_moves())
    lines = TABLE.read_text(encoding="utf-8").splitlines()
    assert [row.split()[-1] for row in rows] == [line.split()[0] for line in lines]
    assert run_command(["book", "names", "TIGER"]) == 0
    assert capsys.readouterr().out.splitlines()[0].endswith("f5d6c3d3c4")
    assert run_command(["book", "names", "xyz"]) == 2
    assert "TEXT: no opening's name contains 'xyz'" in capsys.readouterr().err
