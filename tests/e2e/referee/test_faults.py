"""Every way in which an engine can fail, on a real process: its verdict, and nothing left behind."""

from __future__ import annotations

import re
import sys
from typing import Any

import pytest

from quietmove.referee.config.model import EngineConfig, TimeControl
from quietmove.referee.game.host import play_game
from quietmove.referee.process import line_process
from tests.e2e.conftest import SHORT

STALL = {"stall_timeout_ms": 300}
START = {"start_timeout_ms": 300}

# protocol, behaviour, limit, verdict, and part of its detail
FAULTS = [
    ("uci", "crash-at-start", {}, "crash", "status 3 before uciok; its standard error ends with: fake: crash"),
    ("uci", "crash", {}, "crash", "ended with status 3"),
    ("uci", "babble-and-crash", {}, "crash", "ended with status 3"),
    ("uci", "leave-child-and-crash", {}, "crash", "ended with status 3"),
    ("uci", "kill-itself", {}, "crash", "was ended by signal 9 (SIGKILL)"),
    ("uci", "close-output", {}, "crash", "closed its output but is still running"),
    ("uci", "silent-at-start", START, "stall", "did not send uciok within 300 ms"),
    ("uci", "silence", STALL, "stall", "did not answer within 300 ms"),
    ("uci", "illegal", {}, "illegal", "'bestmove 1 1'"),
    ("uci", "garbage", {}, "illegal", "'bestmove i am a fish'"),
    ("uci", "flood", {}, "illegal", "more than 1 MiB without an answer"),
    ("uci", "flood-line", {}, "illegal", "a line of more than 1 MiB"),
    ("uci", "resign", {}, "resign", "resigns"),
    ("project", "crash-at-start", {}, "crash", "ended with status 3"),
    ("project", "silent-at-start", START, "stall", "did not read line one within 300 ms"),
    ("project", "garbage", {}, "illegal", "'i am a fish', which is not a move"),
    ("project", "empty", STALL, "stall", "did not answer within 300 ms"),
    ("project", "resign", {}, "illegal", "'resign', which is not a move"),
    ("project", "flood", {}, "illegal", "which is not a move"),
]


@pytest.mark.parametrize(("protocol", "behaviour", "limits", "reason", "words"), FAULTS)
def test_a_fault_loses_the_game(
    fakes: Any,
    monkeypatch: pytest.MonkeyPatch,
    protocol: str,
    behaviour: str,
    limits: dict[str, int],
    reason: str,
    words: str,
) -> None:
    """An engine of UCI is Black; one of the project is White, which answers Black's first move."""
    monkeypatch.setattr(line_process, "MAX_TURN_BYTES", line_process.MEBIBYTE)
    bad, sane = fakes.config(behaviour, protocol=protocol, **limits), fakes.config("sane")
    is_black = protocol == "uci"
    record = play_game(fakes.game(bad, sane) if is_black else fakes.game(sane, bad))
    loser, points, margin = ("black", 0, -64) if is_black else ("white", 1, 64)
    assert (record.reason, record.loser, record.points_black, record.margin_black) == (reason, loser, points, margin)
    assert words in record.detail
    assert record.detail.startswith(f"{behaviour} ({loser}) ")
    assert [move.by for move in record.moves] == ([] if is_black or "start" in behaviour else ["black"])


@pytest.mark.parametrize(
    ("behaviour", "protocol"), [("leave-child", "uci"), ("flood-stderr", "uci"), ("ignore-quit", "project")]
)
def test_bad_manners_cost_nothing(fakes: Any, behaviour: str, protocol: str) -> None:
    bad = fakes.config(behaviour, protocol=protocol)
    record = play_game(fakes.game(bad, fakes.config("sane"), adjudication=SHORT))
    assert record.reason == "adjudicated"
    assert len(fakes.pids) == (3 if behaviour == "leave-child" else 2)


def test_flood_is_illegal_whatever_follows_it(fakes: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        "quietmove.referee.game.judged_game.SETTLE_SECONDS", 60
    )  # enough to read everything, including the crash at the end
    assert play_game(fakes.game(fakes.config("flood-line"), fakes.config("sane"))).reason == "illegal"


def test_line_that_nobody_asked_for(fakes: Any) -> None:
    """By protocol.md it is no answer to a later `go`; the project's programs write nothing but their next move."""
    uci = play_game(fakes.game(fakes.config("answer-twice"), fakes.config("sane"), adjudication=SHORT))
    project = play_game(fakes.game(fakes.config("answer-twice", protocol="project"), fakes.config("sane")))
    assert uci.reason == "adjudicated"
    assert (project.reason, project.loser, len(project.moves)) == ("illegal", "black", 2)


MOVES_ALONE = """\
import sys
color, *moves = sys.argv[1:]
for line in range(color == "W"):
    sys.stdin.readline()
for move in moves:
    sys.stdout.write(f"# my move is\\n\\n{move}\\n")
sys.stdin.readline()
"""


def moves_alone(*moves: str, variables: tuple[tuple[str, str], ...] = ()) -> EngineConfig:
    """Return a program that is told its colour by its command and writes these moves, with comments, unflushed."""
    command = (sys.executable, *(() if variables else ("-u",)), "-c", MOVES_ALONE, "{color}", *moves)
    settings = (("line", "none"),)
    limit = TimeControl(movetime_ms=300 if variables else 60_000)
    return EngineConfig("simple", command, "project", limit=limit, settings=settings, env=variables)


def test_a_move_after_a_legal_one_is_not_said_to_be_legal_in_other_coordinates(fakes: Any) -> None:
    """The second answer would be legal with rows from the top, by chance."""
    code = "for move in ('4 6', '5 6'): input(); print(move, flush=True)\ninput()"
    program = EngineConfig("simple", (sys.executable, "-S", "-c", code), "project")
    record = play_game(fakes.game(program, fakes.config("sane")))
    assert record.reason == "illegal"
    assert re.search(
        r"answered '5 6' \(e3\), which is not legal here; legal: (\d \d \([a-h]\d\)(, |$))+$", record.detail
    ), record.detail


def test_a_program_that_only_writes_moves_plays_both_colours(fakes: Any) -> None:
    black = play_game(fakes.game(moves_alone("4 6 # best"), fakes.config("resign", "--ply", "1")))
    white = play_game(fakes.game(fakes.config("illegal", "--ply", "2"), moves_alone("9 9")))
    assert black.moves[0].move == "d3"
    assert [move.by for move in white.moves] == ["black"]
    assert "simple (white) answered '9 9', which is not a move" in white.detail


def test_a_program_that_does_not_flush_is_told_so(fakes: Any) -> None:
    unflushed = moves_alone("4 6", variables=(("PYTHONUNBUFFERED", ""),))
    record = play_game(fakes.game(unflushed, fakes.config("sane")))
    assert (record.reason, record.loser) == ("timeout", "black")
    assert "nothing has come from it: it must flush its output after each line" in record.detail
