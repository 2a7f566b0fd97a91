"""The location of the user's own files."""

from __future__ import annotations

import os
from pathlib import Path


def data_folder() -> Path:
    """Return the user's data folder for this program, which may not exist yet.

    :raises RuntimeError: if the user has no home directory.
    """
    named = Path(os.environ.get("XDG_DATA_HOME", ""))
    # the XDG specification says that relative paths must be ignored
    return (named if named.is_absolute() else Path.home() / ".local" / "share") / "quietmove"
