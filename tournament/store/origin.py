"""Where the games of a store come from: the command that began it, the machine and the version of this program."""

from __future__ import annotations

import os
import platform
import shlex
import sys
from dataclasses import dataclass
from pathlib import Path

from quietmove.common import VERSION
from quietmove.common.processors import usable_processors
from quietmove.referee.config.validation import adapter

__all__ = ["Origin"]

CPU_INFO = Path("/proc/cpuinfo")


@dataclass(frozen=True, slots=True)
class Origin:
    """What a report says so that its tournament can be played again.

    :param command: the command line.
    :param machine: processor, how many of them this process might use, system and Python.
    :param version: of Quietmove.
    """

    command: str
    machine: str
    version: str

    @classmethod
    def here(cls) -> Origin:
        """Return what is true of this process."""
        processors = len(usable_processors())
        system = f"{platform.system()} {platform.release()}, Python {platform.python_version()}"
        words = shlex.join([Path(sys.argv[0]).name, *sys.argv[1:]])
        command = os.fsencode(words).decode(errors="replace")  # a file may have a name that is no text
        return cls(command, f"{_processor()}, {processors} of {os.cpu_count()} processors, {system}", VERSION)

    def to_json(self) -> str:
        """Return the value as one line of JSON."""
        return adapter(Origin).dump_json(self).decode()


def _processor() -> str:
    """Return the name of the processor as the system tells it."""
    try:
        lines = CPU_INFO.read_text(errors="replace").splitlines()
    except OSError:
        lines = []
    named = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(named, platform.processor() or platform.machine())
