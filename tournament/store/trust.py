"""Whether a store was begun by this user on this machine: to play it on runs what it says, so a stranger's is shown."""

from __future__ import annotations

import hashlib
import os
import platform
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from shlex import join

from quietmove.common.text import printable
from quietmove.tournament.definition import Tournament

__all__ = ["game_file", "is_own_file", "machine", "programs"]

MACHINE_ID = Path("/etc/machine-id")
DIGEST_BYTES = 16


def machine() -> str:
    """Return a digest of this machine's name and, where there is one, its id, which nobody elsewhere knows."""
    name = platform.node()
    with suppress(OSError):
        name += MACHINE_ID.read_text()
    return hashlib.blake2b(name.encode(), digest_size=DIGEST_BYTES).hexdigest()


def is_own_file(path: Path) -> bool:
    """Tell whether a file is this user's."""
    return path.stat().st_uid == os.geteuid()


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
