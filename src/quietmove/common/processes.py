"""Processes of this machine that another program has started, told apart from later ones with the same number."""

from __future__ import annotations

import os
import subprocess
from dataclasses import dataclass
from pathlib import Path

__all__ = ["Process"]

STAT = "/proc/{}/stat"  # Linux alone has this file
STATE, START = 0, 19  # places of fields in it, counted from the one after the program's name


@dataclass(frozen=True, slots=True)
class Process:
    """One process.

    :param started: when it was started, in words of the system: no two processes of one number have the same.
    """

    number: int
    started: str

    @classmethod
    def of(cls, number: int) -> Process:
        """Return the process that has this number now."""
        return cls(number, _started(number))

    @classmethod
    def here(cls) -> Process:
        """Return this process."""
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
