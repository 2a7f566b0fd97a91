"""The command line beside the protocol loop."""

import subprocess
import sys

from quietmove.engine.search.ordering import ORDERINGS
from quietmove.version import version_text


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
