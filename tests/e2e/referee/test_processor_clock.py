"""An engine whose clock counts processor time; real processes."""

from __future__ import annotations

import sys

import pytest

from quietmove.referee.config.model import Adjudication, EngineConfig, GameSpec, TimeControl
from quietmove.referee.game.host import play_game
from quietmove.referee.game.record import GameRecord
from quietmove.referee.process import sandbox

LIMIT = TimeControl(movetime_ms=100)

# An Othello-project program for Black's first move. `burn` uses 0.3 s of CPU time.
PROGRAM = """
import os, signal, threading, time
def burn():
    start = time.process_time()
    while time.process_time() < start + 0.3: pass
input()
{code}
print("4 6", flush=True)
input()
"""
BURN_IN_A_CHILD = """
if not os.fork():
    burn()
    os._exit(0)
os.wait()
"""


def first_move(code: str, **fields: object) -> GameRecord:
    command = (sys.executable, "-S", "-c", PROGRAM.format(code=code))
    fields = {"limit": LIMIT, "margin_ms": 50, "clock": "processor", **fields}
    program = EngineConfig("program", command, "project", **fields)  # type: ignore[arg-type]
    other = EngineConfig("other", protocol="in-process", limit=TimeControl(depth=1))
    return play_game(GameSpec("othello", (), program, other, adjudication=Adjudication(max_plies=2)))


@pytest.mark.parametrize(
    ("code", "clock", "reason"),
    [
        ("time.sleep(0.25)", "wall", "timeout"),
        ("time.sleep(0.25)", "processor", "adjudicated"),
        ("time.sleep(10)", "processor", "timeout"),
        ("burn()", "processor", "timeout"),
        (BURN_IN_A_CHILD, "processor", "timeout"),
    ],
)
def test_processor_time_counts_and_a_pause_does_not(code: str, clock: str, reason: str) -> None:
    record = first_move(code, clock=clock)
    assert record.reason == reason, record.detail
    if reason == "adjudicated":
        assert (record.moves[0].elapsed_ms or 0) <= 150


def test_an_endless_loop_ends_with_its_processor_time() -> None:
    record = first_move("while True: pass", limit=TimeControl(base_ms=200))
    assert record.reason == "timeout"
    assert "processor time" in record.detail


THREAD = "thread = threading.Thread(target=burn); thread.start(); thread.join()"
FORGOTTEN_CHILD = """
signal.signal(signal.SIGCHLD, signal.SIG_IGN)
if not os.fork():
    burn()
    os._exit(0)
try: os.wait()
except ChildProcessError: pass
"""


@pytest.mark.skipif(bool(sandbox.missing_requirement()), reason=sandbox.missing_requirement())
@pytest.mark.parametrize(
    ("code", "reason", "text"),
    [
        ("signal.signal(signal.SIGCHLD, signal.SIG_IGN)", "adjudicated", ""),
        (THREAD, "timeout", "processor time"),
        (FORGOTTEN_CHILD, "crash", "Function not implemented"),
    ],
    ids=["nothing", "a thread", "a forgotten child"],
)
def test_a_confined_engine_cannot_hide_its_processor_time(code: str, reason: str, text: str) -> None:
    """The kernel forgets the time of a child whose parent ignores SIGCHLD."""
    record = first_move(code, sandbox=True)
    assert record.reason == reason, record.detail
    assert text in record.detail
