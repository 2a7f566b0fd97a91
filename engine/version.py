"""The text of ``--version``: the versions of Quietmove and Python, and the compiled code in use."""

from __future__ import annotations

import os
import platform
from pathlib import Path

from quietmove.engine.common import VERSION
from quietmove.engine.common.git import run_git
from quietmove.engine.common.origin import folder_of, read_origin
from quietmove.engine.games.othello import board

CODES = {  # keyed by the folder that Othello's compiled modules are loaded from
    "v4": "x86-64-v4: AVX-512",
    "v3": "x86-64-v3: AVX2, and not all of AVX-512",
    "othello": f"{platform.machine()}: no AVX2",
}


def version_text() -> str:
    """Return one line: the version, the commit if known, Python's version, and the compiled code in use."""
    known = commit()
    number = f"{VERSION} ({known})" if known else VERSION
    return f"Quietmove {number}, Python {platform.python_version()}, {code()}"


def code() -> str:
    """Return the instruction set of the compiled code in use, noting whether QUIETMOVE_CPU selected it."""
    requested = os.environ.get("QUIETMOVE_CPU")
    name = Path(str(board.__file__)).parent.name
    if requested == ("plain" if name == "othello" else name):
        return f"{CODES[name].partition(':')[0]}: {requested}, selected by QUIETMOVE_CPU"
    return CODES[name]


def commit() -> str:
    """Return the abbreviated hash of the installed commit, or "" if unknown.

    Installers record a package's origin (PEP 610): the commit, or a checkout installed in editable mode.
    """
    origin = read_origin()
    if "vcs_info" in origin:
        return str(origin["vcs_info"]["commit_id"])[:7]
    folder = folder_of(origin)
    if folder is None or not origin["dir_info"].get("editable"):
        return ""
    try:
        return run_git(Path(folder), "rev-parse", "--short", "HEAD").stdout.strip()
    except OSError:  # git is not installed
        return ""
