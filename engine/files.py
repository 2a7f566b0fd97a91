"""Files that a person names."""

from __future__ import annotations

import os
import stat
from contextlib import suppress
from typing import TYPE_CHECKING

from quietmove.engine.errors import QuietmoveError

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["is_special", "refuse_special", "write_whole"]


def is_special(path: str | os.PathLike[str]) -> bool:
    """Tell whether there is something at ``path`` that is no regular file: a pipe is waited for without end."""
    try:
        return not stat.S_ISREG(os.stat(path).st_mode)  # noqa: PTH116 (pathlib costs the start more than this)
    except (OSError, ValueError):  # nothing is there, or no path can be this text; opening it says so
        return False


def refuse_special(path: str | os.PathLike[str], error: type[QuietmoveError], about: str = "") -> None:
    """Return if ``path`` names a regular file or nothing.

    :param about: what the message begins with, before the path.
    :raises QuietmoveError: of the class ``error``, if it names anything else.
    """
    if is_special(path):
        raise error(f"{about}{path}: must be a regular file, not a folder, a pipe or a device")


def write_whole(path: Path, data: bytes) -> None:
    """Write a file so that it is never there in part: what was there stays until all of it is written.

    :raises OSError: if it cannot be written.
    """
    part = path.with_name(f"{path.name}.part")
    try:
        part.write_bytes(data)
        part.replace(path)
    except OSError:
        with suppress(OSError):
            part.unlink()
        raise
