"""A referee that is stopped and goes on: no engine is charged for it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from quietmove.referee.config.model import EngineConfig, GameSpec, TimeControl
from quietmove.referee.game import judged_game
from quietmove.referee.game.host import play_game
from quietmove.referee.game.record import Clocks, Observer
from tests.e2e.conftest import PATIENCE, Fakes

LIMITS = ("movetime=3000", "margin=50")
PAUSE_SECONDS = 4.0  # longer than the engine's time limit


def test_a_game_in_which_the_referee_stood_still_is_played_again(tmp_path: Path, fakes: Fakes) -> None:
    """The engine answers while the referee is stopped, and is asked in a second game what it was asked in the first."""
    os.mkfifo(tmp_path / "gate")
    gate = ["--gate", str(tmp_path / "gate"), "--once", str(tmp_path / "once")]
    waiting = fakes.words("waiting", "wait", *gate, "--ply", "2")
    words = ["match", *waiting, *LIMITS, *fakes.words("sane", "sane"), "--games", "2", "--max-plies", "6"]
    out, err = with_pause([sys.executable, "-m", "quietmove.referee", *words], tmp_path)
    assert err.count("playing games again: the referee was paused for ") == 1, err
    assert out.count(" adjudicated: ") == 2


def test_from_python_it_is_played_again_too(monkeypatch: pytest.MonkeyPatch) -> None:
    """By its own account the referee stands still while the first engine thinks."""
    readings = iter([0.0, 0.0, 7.0])
    monkeypatch.setattr(judged_game, "paused_seconds", lambda: next(readings, 7.0))
    began = list[GameSpec]()

    class Counter(Observer):
        def game_started(self, spec: GameSpec, clocks: Clocks) -> None:
            began.append(spec)

    player = EngineConfig("a", protocol="in-process", limit=TimeControl(base_ms=9000))
    assert play_game(GameSpec("tictactoe", (), player, player), Counter()).reason == "finished"
    assert len(began) == 2


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
