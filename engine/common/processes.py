"""Functions to start Python processes safely, and to identify a process even if its ID is reused."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

SAFE_PATH = ("PYTHONSAFEPATH", "quietmove")  # any value means -P; this one marks the variable as set by us

STAT = "/proc/{}/stat"  # Linux only
STATE, START = 0, 19  # indices of fields in that file, counting from the one after the program's name


def python_command(module: str, *words: str) -> list[str]:
    """Return the command that runs a module with this Python but does not import modules from the working folder."""
    return [sys.executable, "-P", "-m", module, *words]


@contextmanager
def ignoring_planted_modules() -> Iterator[None]:
    """Within the block, processes started by multiprocessing import no modules from the working folder."""
    name, value = SAFE_PATH
    is_ours = os.environ.setdefault(name, value) == value
    try:
        yield
    finally:
        if is_ours:
            os.environ.pop(name, None)


def inherited_environment() -> dict[str, str]:
    """Return the environment for other people's programs, which may import modules from their own folder."""
    return {name: value for name, value in os.environ.items() if (name, value) != SAFE_PATH}


@dataclass(frozen=True, slots=True)
class Process:
    """A process, identified by its ID and start time.

    :param started: the start time in the system's own format, which distinguishes two processes with the same ID.
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
        """Return whether the process is still running."""
        return bool(self.started) and _started(self.number) == self.started

    def signal(self, number: int) -> None:
        """Send the process a signal if it is still running."""
        if self.is_alive():
            os.kill(self.number, number)


def _started(number: int) -> str:
    """Return a process's start time, or "" if there is no such process or it has ended."""
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
