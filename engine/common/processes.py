"""Processes of this machine: those of Python that are started here, and others, told apart from later ones."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

SAFE_PATH = ("PYTHONSAFEPATH", "quietmove")  # any value means -P; this one is told apart from a user's own

STAT = "/proc/{}/stat"  # Linux alone has this file
STATE, START = 0, 19  # places of fields in it, counted from the one after the program's name


def python_command(module: str, *words: str) -> list[str]:
    """Return the command that runs a module with this Python; a ``json.py`` in the working folder is not imported."""
    return [sys.executable, "-P", "-m", module, *words]


@contextmanager
def ignoring_planted_modules() -> Iterator[None]:
    """Let no Python that multiprocessing starts in this block import modules of the working folder."""
    name, value = SAFE_PATH
    is_ours = os.environ.setdefault(name, value) == value
    try:
        yield
    finally:
        if is_ours:
            os.environ.pop(name, None)


def inherited_environment() -> dict[str, str]:
    """Return this process's environment for programs of others, which may import what lies beside them."""
    return {name: value for name, value in os.environ.items() if (name, value) != SAFE_PATH}


@dataclass(frozen=True, slots=True)
class Process:
    """One process.

    :param started: when it was started, in words of the system: no two processes of one number have the same.
    """

    number: int
    started: str

    @classmethod
    def of(cls, number: int) -> Process:
        return cls(number, _started(number))

    @classmethod
    def here(cls) -> Process:
        return cls.of(os.getpid())

    def is_alive(self) -> bool:
        """Tell whether it has not ended."""
        return bool(self.started) and _started(self.number) == self.started

    def signal(self, number: int) -> None:
        """Send it a signal, if it has not ended."""
        if self.is_alive():
            os.kill(self.number, number)


def _started(number: int) -> str:
    """Return when a process was started; an empty text if there is none, or it has ended."""
    if os.path.isdir("/proc/self"):
        try:
            fields = Path(STAT.format(number)).read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()
        except OSError:
            return ""
        return "" if fields[STATE] == "Z" else fields[START]
    command = ["ps", "-o", "stat=,lstart=", "-p", str(number)]
    state, _, started = (
        subprocess.run(command, capture_output=True, text=True, check=False).stdout.strip().partition(" ")
    )
    return "" if state.startswith("Z") else started.strip()
