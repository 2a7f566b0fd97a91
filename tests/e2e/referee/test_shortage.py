"""Limits of the machine that are really lowered, in a process of its own: no shortage becomes a verdict."""

from __future__ import annotations

import json
import resource
import subprocess
import sys
from functools import partial
from typing import Any

import pytest

from tests.fakes.processes import WAIT

SCRIPT = """
import json, os, resource, sys
from quietmove.referee.config.model import EngineConfig, GameSpec
from quietmove.referee.errors import ShortageError
from quietmove.referee.game.host import GameHost
from quietmove.referee.match.setup import pair_games
from quietmove.referee.match.running import play_series

command, at_once, spare, has_none_later = json.loads(sys.argv[1])

first, second = (EngineConfig(name, tuple(command)) for name in "ab")
notices, reasons, error = [], [], ""
if spare is not None:
    opened = max(map(int, os.listdir("/proc/self/fd"))) + 1
    resource.setrlimit(resource.RLIMIT_NOFILE, (opened + spare, opened + spare))
try:
    if at_once:
        for _, record in play_series(pair_games(first, second, 4), at_once, notices.append):
            reasons.append(record.reason)
            if has_none_later:
                resource.setrlimit(resource.RLIMIT_NOFILE, (3, 3))
    else:
        with GameHost() as host:
            host.play(GameSpec("othello", (), first, second))
except ShortageError as failure:
    error = str(failure)
print(json.dumps([notices, reasons, error]))
"""


def play(fakes: Any, at_once: int, spare: int | None, has_none_later: bool) -> tuple[list[str], list[str], str]:
    """Play four games, and return the notices, the verdicts and the error."""
    words = json.dumps([fakes.command("crash", "--ply", "2"), at_once, spare, has_none_later])
    run = subprocess.run([sys.executable, "-c", SCRIPT, words], capture_output=True, text=True, timeout=300)
    assert run.stderr == ""
    notices, reasons, error = json.loads(run.stdout)
    return notices, reasons, error


def test_few_open_files_are_fewer_games_at_once(fakes: Any) -> None:
    notices, reasons, error = play(fakes, 4, 18, False)  # there is room for one game, but not for two
    assert (reasons, error) == (["crash"] * 4, "")
    assert notices
    assert all(" at a time from now on: the machine has no room for another engine" in text for text in notices)


def test_a_host_without_a_file_handle_is_an_error_and_no_deadlock(fakes: Any) -> None:
    """With five the first engine cannot be started."""
    notices, reasons, error = play(fakes, 0, 5, False)
    assert (notices, reasons) == ([], [])
    assert error.startswith("the machine has no room for ")
    assert "Too many open files" in error


def test_a_limit_that_is_lowered_in_the_middle(fakes: Any) -> None:
    """What has begun is played to its end, and a game of the two engines that are kept; then there is no handle."""
    notices, reasons, error = play(fakes, 2, None, True)
    assert 1 <= len(reasons) <= 3
    assert set(reasons) == {"crash"}
    assert "Too many open files (ulimit -n)" in error
    assert notices[-1].startswith("1 game at a time from now on: the machine has no room for another engine")


@pytest.mark.parametrize("files", [5, 6, 7, 15])
def test_too_few_open_files_to_start_are_one_error(files: int) -> None:
    command = [sys.executable, "-m", "quietmove.referee", "match"]
    limit = partial(resource.setrlimit, resource.RLIMIT_NOFILE, (files, files))
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=WAIT, preexec_fn=limit)
    assert (done.returncode, done.stderr) == (1, f"error: 'ulimit -n' must be at least 16 open files, not {files}\n")
