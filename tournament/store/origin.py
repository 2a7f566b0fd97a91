"""Where a store comes from: the command that began it, the machine, the version, and whether it is this user's own.

To play a store on runs what it says, so what a stranger's would run is shown first.
"""

from __future__ import annotations

import hashlib
import os
import platform
import sys
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from shlex import join

from quietmove.engine.common import VERSION
from quietmove.engine.common.processors import usable_processors
from quietmove.engine.common.text import printable
from quietmove.tournament.definition import Tournament

CPU_INFO, MACHINE_ID = Path("/proc/cpuinfo"), Path("/etc/machine-id")
DIGEST_BYTES = 16


@dataclass(frozen=True, slots=True)
class Origin:
    """What a report says so that its tournament can be played again.

    :param command: the command line.
    :param machine: processor, how many of them this process might use, system and Python.
    :param version: the version of Quietmove.
    """

    command: str
    machine: str
    version: str

    @classmethod
    def here(cls) -> Origin:
        """Return what is true of this process."""
        processors = len(usable_processors())
        system = f"{platform.system()} {platform.release()}, Python {platform.python_version()}"
        words = join([Path(sys.argv[0]).name, *sys.argv[1:]])
        command = os.fsencode(words).decode(errors="replace")  # a file may have a name that is no text
        return cls(command, f"{_processor()}, {processors} of {os.cpu_count()} processors, {system}", VERSION)


def _processor() -> str:
    try:
        lines = CPU_INFO.read_text(errors="replace").splitlines()
    except OSError:
        lines = []
    named = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(named, platform.processor() or platform.machine())


def seal(config: str) -> str:
    """Return a digest of a store's configuration that no other machine can make, so a changed one is noticed.

    Its key is this machine's name and, where there is one, its id.
    """
    key = platform.node()
    with suppress(OSError):
        key += MACHINE_ID.read_text()
    return hashlib.blake2b(f"{key}\n{config}".encode(errors="surrogateescape"), digest_size=DIGEST_BYTES).hexdigest()


def game_file(tournament: Tournament) -> str:
    """Return the Python file that the game comes from, which runs when it is looked at; "" where there is none."""
    return tournament.game if ".py:" in tournament.game else ""


def programs(tournament: Tournament) -> Iterator[str]:
    """Yield, a line each, what is run if the tournament is played on."""
    if file := game_file(tournament):
        yield printable(f"the game: {file}")
    for engine in tournament.engines:
        words = [f"{name}={value}" for name, value in engine.env]
        words.append(join(engine.command) or engine.protocol)
        words += [f"{name}={value}" for name, value in engine.options]
        yield printable(f"{engine.name}: {' '.join(words)}" + (f" (in {engine.cwd})" if engine.cwd else ""))
