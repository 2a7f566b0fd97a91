"""A referee that is stopped and goes on: no engine is charged for it."""

from __future__ import annotations

import os
import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path

from tests.e2e.conftest import PATIENCE, Fakes

LIMITS = ("movetime=3000", "margin=50")
PAUSE_SECONDS = 4.0  # longer than the engine's time limit


def test_a_game_in_which_the_referee_stood_still_is_played_again(tmp_path: Path, fakes: Fakes) -> None:
    """The engine answers while the referee is stopped, and is asked in a second game what it was asked in the first."""
    waiting = fakes.words("waiting", "wait", *gate_at(tmp_path), "--ply", "2")
    words = ["match", *waiting, *LIMITS, *fakes.words("sane", "sane"), "--games", "2", "--max-plies", "6"]
    out, err = with_pause([sys.executable, "-m", "quietmove.referee", *words], tmp_path)
    assert err.count("playing games again: the referee was paused for ") == 1, err
    assert out.count(" adjudicated: ") == 2


def test_from_python_it_is_played_again_too(tmp_path: Path, fakes: Fakes) -> None:
    engines = fakes.command("wait", *gate_at(tmp_path), "--ply", "2"), fakes.command("sane")
    players = ", ".join(f"player({shlex.join(each)!r}, limit='movetime=3000', margin_ms=50)" for each in engines)
    command = [sys.executable, "-c", f"from quietmove import *; print(play_game({players}).reason)"]
    assert with_pause(command, tmp_path) == ("finished\n", "")


def gate_at(folder: Path) -> tuple[str, ...]:
    """Make the gate at which an engine waits for the pause, once; return the engine's words for it."""
    os.mkfifo(folder / "gate")
    return "--gate", str(folder / "gate"), "--once", str(folder / "once")


def with_pause(command: list[str], folder: Path) -> tuple[str, str]:
    """Run a referee, stop it for a while when the engine waits at the gate, and return what it wrote."""
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    with (folder / "gate").open("wb"):  # opens once the engine is asked for a move
        process.send_signal(signal.SIGSTOP)
        os.waitid(os.P_PID, process.pid, os.WSTOPPED)  # on a busy machine, threads stop only when they next run
    time.sleep(PAUSE_SECONDS)
    process.send_signal(signal.SIGCONT)
    out, err = process.communicate(timeout=PATIENCE)
    assert process.returncode == 0, err
    return out, err
