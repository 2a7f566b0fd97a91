"""The command line beside the protocol loop."""

import re
import subprocess
import sys

import pytest

from quietmove import __version__
from quietmove.engine.search.ordering import ORDERINGS

COUNTS = [1, 4, 12, 56, 244, 1396, 8200, 55092, 390216]
MUST_PASS = "XO" + "-" * 62 + " O"


def quietmove(*arguments: str) -> "subprocess.CompletedProcess[str]":
    command = [sys.executable, "-m", "quietmove", *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, stdin=subprocess.DEVNULL)


@pytest.mark.parametrize("depth", [0, 1, 4, 6, 7, 8])
def test_perft(depth: int) -> None:
    process = quietmove("perft", str(depth))
    assert process.returncode == 0
    assert process.stdout.startswith(f"perft {depth}: {COUNTS[depth]} leaves, ")


def test_perft_divided() -> None:
    *moves, total = quietmove("perft", "4", "--divide").stdout.splitlines()
    assert moves == ["d3 (4 6): 61", "c4 (3 5): 61", "f5 (6 4): 61", "e6 (5 3): 61"]
    assert total.startswith("perft 4: 244 leaves")


def test_perft_of_another_game() -> None:
    assert quietmove("perft", "9", "--game", "tictactoe").stdout.startswith("perft 9: 255168 leaves")
    *moves, total = quietmove("perft", "18", "--game", "othello 4x4", "--divide").stdout.splitlines()
    assert [move.split(" (")[0] for move in moves] == ["b1", "a2", "d3", "c4"]
    assert total.startswith("perft 18: 60060 leaves")
    position = quietmove("perft", "1", "--game", "othello 4x4", "--position", "-----OX--XO----- O")
    assert position.stdout.startswith("perft 1: 4 leaves")


@pytest.mark.parametrize(("depth", "leaves"), [(1, 1), (2, 1), (3, 1)])
def test_perft_of_a_position_with_a_pass_and_an_end(depth: int, leaves: int) -> None:
    assert quietmove("perft", str(depth), "--position", MUST_PASS).stdout.startswith(f"perft {depth}: {leaves} leaves")


def test_bench_is_reproducible() -> None:
    first, second = (quietmove("bench", "--depth", "4").stdout.splitlines() for _ in range(2))
    nodes = re.fullmatch(r"(\d+) nodes, \d+ nodes a second", first[0])
    assert nodes is not None
    assert first[1] == second[1] == f"Bench: {nodes[1]}"


def test_bench_compares_the_orderings() -> None:
    rows = [line.split() for line in quietmove("bench", "--orderings", "--depth", "8").stdout.splitlines()[1:]]
    nodes = {row[0]: int(row[1]) for row in rows}
    assert list(nodes) == list(ORDERINGS)
    assert nodes["full"] < nodes["static"] < nodes["none"]


def test_the_full_ordering_beats_none_by_five_times() -> None:
    rows = [line.split() for line in quietmove("bench", "--orderings").stdout.splitlines()[1:]]
    nodes = {row[0]: int(row[1]) for row in rows}
    assert nodes["none"] >= 5 * nodes["full"]


def test_an_experiment_of_the_laboratory() -> None:
    process = quietmove("lab", "pruning", "--game", "connect", "--depth", "3")
    assert process.returncode == 0
    assert [line.split()[0] for line in process.stdout.splitlines()[3:5]] == ["minimax", "alpha-beta"]
    assert "knuth-moore" in quietmove("lab", "--help").stdout


def test_version_and_help() -> None:
    assert quietmove("--version").stdout == f"Quietmove {__version__}\n"
    text = quietmove("--help").stdout
    for word in ("perft", "bench", "lab", "--protocol NAME", "--project", "  uci ", "  project "):
        assert word in text
    text = quietmove("--protocol", "project", "--help").stdout
    for word in ("--coordinates", "--color", "--milliseconds", "--move-time", "--game-time", "--depth"):
        assert word in text
    assert quietmove("--project", "--help").stdout == text
    assert quietmove("perft", "--help").returncode == 0


@pytest.mark.parametrize(
    "arguments",
    [
        ["perft"],
        ["perft", "x"],
        ["perft", "-1"],
        ["perft", "3", "--position", "XO"],
        ["perft", "3", "--position", "XO X"],
        ["perft", "3", "--game", "othello 5x5"],
        ["perft", "3", "--game", "othello 6x6", "--position", MUST_PASS],
        ["prft"],
        ["--no-such-flag"],
        ["bench", "--depth", "0"],
        ["lab", "no-such"],
        ["lab", "pruning", "--depth", "x"],
        ["lab", "pruning", "--game", "no-such"],
        ["lab", "trace", "--game", "othello", "--depth", "9"],
    ],
)
def test_a_wrong_command_line(arguments: list[str]) -> None:
    process = quietmove(*arguments)
    assert process.returncode == 2
    assert process.stdout == ""
    assert re.search("(Error|quietmove): .+", process.stderr)
    assert "Traceback" not in process.stderr
