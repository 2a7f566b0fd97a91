"""The command line beside the protocol loop."""

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


def test_bench_compares_the_orderings() -> None:
    rows = [line.split() for line in quietmove("bench", "--orderings", "--depth", "8").stdout.splitlines()[1:]]
    nodes = {row[0]: int(row[1]) for row in rows}
    assert list(nodes) == list(ORDERINGS)
    assert nodes["full"] < nodes["static"] < nodes["none"]


def test_the_full_ordering_beats_none_by_five_times() -> None:
    rows = [line.split() for line in quietmove("bench", "--orderings").stdout.splitlines()[1:]]
    nodes = {row[0]: int(row[1]) for row in rows}
    assert nodes["none"] >= 5 * nodes["full"]


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
