"""The command line beside the protocol loop."""

import subprocess
import sys
from pathlib import Path

import pytest

from quietmove.engine.search.ordering import ORDERINGS
from quietmove.engine.version import version_text


def quietmove(*arguments: str, cwd: Path | None = None) -> "subprocess.CompletedProcess[str]":
    command = [sys.executable, "-m", "quietmove", *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, stdin=subprocess.DEVNULL, cwd=cwd)


def test_perft_of_another_game() -> None:
    assert quietmove("perft", "9", "--game", "tictactoe").stdout.startswith("perft 9: 255168 leaves")
    *moves, total = quietmove("perft", "18", "--game", "othello 4x4", "--divide").stdout.splitlines()
    assert [move.split(": ")[0] for move in moves] == ["b1 (2 4)", "a2 (1 3)", "d3 (4 2)", "c4 (3 1)"]
    assert total.startswith("perft 18: 60060 leaves")
    position = quietmove("perft", "1", "--game", "othello 4x4", "--position", "-----OX--XO----- O")
    assert position.stdout.startswith("perft 1: 4 leaves")


def test_the_full_ordering_beats_none_by_five_times() -> None:
    rows = [line.split() for line in quietmove("bench", "--orderings").stdout.splitlines()[1:]]
    nodes = {row[0]: int(row[1]) for row in rows}
    assert list(nodes) == list(ORDERINGS)
    assert nodes["full"] < nodes["static"] < nodes["none"]
    assert nodes["none"] >= 5 * nodes["full"]


def test_version_and_help() -> None:
    assert quietmove("--version").stdout == version_text() + "\n"
    text = quietmove("--help").stdout
    for word in ("perft", "bench", "lab", "--protocol NAME", "--project", "  uci ", "  project "):
        assert word in text
    text = quietmove("--protocol", "project", "--help").stdout
    for word in ("--coordinates", "--color", "--milliseconds", "--move-time", "--game-time", "--depth"):
        assert word in text
    assert quietmove("--project", "--help").stdout == text
    assert quietmove("perft", "--help").returncode == 0


LINE_END = "two\nlines"


@pytest.mark.parametrize(
    "arguments",
    [
        ("convert", f"{LINE_END}.txt", "x.ggf"),
        ("analyze", f"./{LINE_END}.txt"),
        ("suite", f"{LINE_END}.obf", "--exact"),
        ("suite", f"wrong {LINE_END}.obf", "--exact"),
        ("play", "--load", f"{LINE_END}.jsonl"),
        ("book", "show", LINE_END),
        ("train", "check", LINE_END),
        ("--protocol", LINE_END),
    ],
)
def test_an_error_is_one_line_whatever_name_it_holds(tmp_path: Path, arguments: tuple[str, ...]) -> None:
    (tmp_path / LINE_END).write_text("f5 d6")
    (tmp_path / f"wrong {LINE_END}.obf").write_text(f"{'X' * 30}{'O' * 33}- X; H8:+64\n")
    done = quietmove(*arguments, cwd=tmp_path)
    assert done.returncode in (1, 2)
    assert done.stderr.splitlines()[-1].startswith("error: ")
    assert r"two\nlines" in done.stderr
    assert len(done.stderr.splitlines()) <= 1 + done.stderr.count(" --help' tells")
