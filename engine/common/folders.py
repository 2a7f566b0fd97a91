"""Where a user's own files are kept."""

from __future__ import annotations

import os
from pathlib import Path


def data_folder() -> Path:
    """Return the user's folder for the data of this program, which need not be there.

    :raises RuntimeError: if there is no home directory.
    """
    named = Path(os.environ.get("XDG_DATA_HOME", ""))
    # the XDG specification asks to ignore relative paths
    return (named if named.is_absolute() else Path.home() / ".local" / "share") / "quietmove"
