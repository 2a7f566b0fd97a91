"""Processes that tests start, and those of this machine that a test has marked."""

from __future__ import annotations

import ctypes
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

__all__ = ["WAIT", "end_with_parent", "marked", "run_module", "wait_until"]

WAIT = 240  # seconds; only a failing test waits this long
PR_SET_PDEATHSIG = 1  # linux/prctl.h
LIBRARY = ctypes.CDLL(None)


def end_with_parent() -> None:
    """Let this process be killed when the one that started it ends in any way; a ``preexec_fn`` of a server."""
    LIBRARY.prctl(PR_SET_PDEATHSIG, int(signal.SIGKILL), 0, 0, 0)


def run_module(
    folder: Path, *arguments: str, said: str = "", status: int = 0, **environment: str
) -> subprocess.CompletedProcess[str]:
    """Run ``python -m ARGUMENTS`` in a folder; it must end with ``status`` and without a traceback.

    :param said: what stands on its standard input.
    :param environment: more variables.
    """
    done = subprocess.run(
        [sys.executable, "-m", *arguments],
        cwd=folder,
        env={**os.environ, **environment},
        input=said,
        capture_output=True,
        text=True,
        timeout=WAIT,
    )
    assert done.returncode == status, done.stderr
    assert "Traceback" not in done.stdout + done.stderr
    return done


def marked(variable: str) -> int:
    """Return how many processes have an environment variable that only one test sets."""
    found = 0
    for entry in Path("/proc").glob("[0-9]*/environ"):
        try:
            found += variable.encode() in entry.read_bytes()
        except OSError:
            continue
    return found


def wait_until(condition: Callable[[], object]) -> None:
    """Wait for what no event tells of, such as the state or the end of a process that is not our child.

    The longer the wait, the rarer the looks: many of them read a store or ask a server, and would take the processor
    from what is waited for.
    """
    began = time.monotonic()
    while not condition():
        waited = time.monotonic() - began
        assert waited < WAIT
        time.sleep(min(0.2, 0.01 + waited / 20))
