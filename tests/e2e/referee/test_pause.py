"""A referee that is stopped and goes on: no engine is charged for it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

from tests.e2e.conftest import PATIENCE, Fakes

LIMITS = ("movetime=3000", "margin=50")
PAUSE_SECONDS = 4.0  # longer than the engine may think


def test_a_game_in_which_the_referee_stood_still_is_played_again(tmp_path: Path, fakes: Fakes) -> None:
    """The engine answers while the referee is stopped, and is asked in a second game what it was asked in the first."""
    gate, once = tmp_path / "gate", tmp_path / "once"
    os.mkfifo(gate)
    waiting = fakes.words("waiting", "wait", "--gate", str(gate), "--once", str(once), "--ply", "2")
    command = [sys.executable, "-m", "quietmove.referee", "match", *waiting, *LIMITS, *fakes.words("sane", "sane")]
    process = subprocess.Popen([*command, "--games", "2"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    with gate.open("wb"):  # from when the engine is asked for a move
        process.send_signal(signal.SIGSTOP)
        os.waitid(os.P_PID, process.pid, os.WSTOPPED)  # on a busy machine each thread goes on until it has a processor
    time.sleep(PAUSE_SECONDS)
    process.send_signal(signal.SIGCONT)
    out, err = process.communicate(timeout=PATIENCE)
    assert (process.returncode, err.count("games are played again: the referee stood still for ")) == (0, 1), err
    assert out.count(" finished: ") == 2
