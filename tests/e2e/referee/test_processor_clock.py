"""An engine whose clock counts processor time; real processes."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from quietmove.referee.config.model import Adjudication, EngineConfig, GameSpec, TimeControl
from quietmove.referee.game.host import GameHost
from quietmove.referee.process import sandbox

SLEEP = "time.sleep(0.25)"
SLEEP_LONG = "time.sleep(3)"
LOOP = "while True: pass"
BURN = "\nstart = time.process_time()\nwhile time.process_time() < start + 0.3: pass\n"
BURN_IN_A_CHILD = f"subprocess.run([sys.executable, '-c', {f'import time{BURN}'!r}])"
LIMIT = TimeControl(movetime_ms=100)
PLIES = 6

# An Othello-project program that does something before each move.
PROGRAM = """
import subprocess, sys, time
from quietmove.engine.games.registry import get_game
from quietmove.engine.protocol.notation import PROGRAMS
game, slide = get_game("othello"), PROGRAMS["slide"]
position = game.initial()
color = input().split()[1]
for turn in range(60):
    if "BW"[turn % 2] == color:
        exec(sys.argv[1])
        move = next(iter(position.legal_moves()))
        print(slide.write(game.grid, game.format_move(move)), flush=True)
        position.play(move)
    else:
        position.play(game.parse_move(position, slide.read(game.grid, input())))
"""


def reason_and_time(tmp_path: Path, code: str, clock: str) -> tuple[str, int]:
    """Let the program play the first plies; return the reason for the end, and its longest move in milliseconds."""
    path = tmp_path / "program.py"
    path.write_text(PROGRAM)
    command = (sys.executable, str(path), code)
    program = EngineConfig("program", command, "project", limit=LIMIT, margin_ms=100, clock=clock)
    other = EngineConfig("other", protocol="in-process", limit=TimeControl(depth=1))
    with GameHost() as host:
        record = host.play(GameSpec("othello", (), program, other, adjudication=Adjudication(max_plies=PLIES)))
    assert record.reason != "crash", record.detail
    return record.reason, max((move.elapsed_ms for move in record.moves if move.by == "black"), default=0)


@pytest.mark.parametrize(
    ("code", "clock", "reason"),
    [
        (SLEEP, "wall", "timeout"),
        (SLEEP, "processor", "adjudicated"),
        (SLEEP_LONG, "processor", "timeout"),
        (BURN, "processor", "timeout"),
        (BURN_IN_A_CHILD, "processor", "timeout"),
    ],
)
def test_processor_time_counts_and_a_pause_does_not(tmp_path: Path, code: str, clock: str, reason: str) -> None:
    ended, longest = reason_and_time(tmp_path, code, clock)
    assert ended == reason
    assert clock == "wall" or longest <= 200


def test_an_endless_loop_ends_with_its_processor_time(tmp_path: Path) -> None:
    """Ten times the limit would be a minute and more."""
    path = tmp_path / "program.py"
    path.write_text(PROGRAM)
    limit = TimeControl(base_ms=400)
    program = EngineConfig("program", (sys.executable, str(path), LOOP), "project", limit=limit, clock="processor")
    other = EngineConfig("other", protocol="in-process", limit=TimeControl(depth=1))
    with GameHost() as host:
        record = host.play(GameSpec("othello", (), program, other))
    assert record.reason == "timeout"
    assert "processor time" in record.detail


# An Othello-project program for Black's first move. `start` is code that can call `burn`, which uses 0.3 s of CPU time.
HIDDEN = """
import os, signal, threading, time
def burn():
    start = time.process_time()
    while time.process_time() < start + 0.3: pass
input()
signal.signal(signal.SIGCHLD, signal.SIG_IGN)
{start}
print("4 6", flush=True)
input()
"""
THREAD = "thread = threading.Thread(target=burn); thread.start(); thread.join()"
FORGOTTEN_CHILD = """
if not os.fork():
    burn()
    os._exit(0)
try: os.wait()
except ChildProcessError: pass
"""


@pytest.mark.skipif(bool(sandbox.missing_requirement()), reason=sandbox.missing_requirement())
@pytest.mark.parametrize(
    ("start", "reason", "text"),
    [
        ("", "adjudicated", ""),
        (THREAD, "timeout", "processor time"),
        (FORGOTTEN_CHILD, "crash", "Function not implemented"),
    ],
    ids=["nothing", "a thread", "a forgotten child"],
)
def test_a_confined_engine_cannot_hide_its_processor_time(start: str, reason: str, text: str) -> None:
    """The kernel forgets the time of a child whose parent ignores SIGCHLD."""
    command = (sys.executable, "-c", HIDDEN.format(start=start))
    program = EngineConfig("program", command, "project", limit=LIMIT, margin_ms=50, sandbox=True, clock="processor")
    other = EngineConfig("other", protocol="in-process", limit=TimeControl(depth=1))
    with GameHost() as host:
        record = host.play(GameSpec("othello", (), program, other, adjudication=Adjudication(max_plies=2)))
    assert record.reason == reason, record.detail
    assert text in record.detail
