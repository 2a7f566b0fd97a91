"""git commands in a folder that may belong to a stranger."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping
from pathlib import Path

SETTINGS = {"core.fsmonitor": "false", "core.hooksPath": os.devnull}
FILTERS = r"^filter\..*\.(clean|smudge|process|required)$"


def git_environment() -> dict[str, str]:
    """Return the environment without git's variables.

    git sets ``GIT_DIR`` and others for hooks and aliases. A command that inherits them works on the user's repository
    instead of the one in its own folder.
    """
    return {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}


def run_git(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """Run a git command in a folder, without the programs that the settings of its repository name.

    :raises FileNotFoundError: if git is not installed.
    """
    names = _run(folder, SETTINGS, "config", "--null", "--name-only", "--get-regexp", FILTERS).stdout.split("\0")
    return _run(folder, {**SETTINGS, **dict.fromkeys(filter(None, names), "")}, *words)


def _run(folder: Path, settings: Mapping[str, str], *words: str) -> subprocess.CompletedProcess[str]:
    environment = {**git_environment(), "GIT_NO_LAZY_FETCH": "1", "GIT_CONFIG_COUNT": str(len(settings))}
    for number, (name, value) in enumerate(settings.items()):
        environment |= {f"GIT_CONFIG_KEY_{number}": name, f"GIT_CONFIG_VALUE_{number}": value}
    command = ["git", "-C", str(folder), *words]
    return subprocess.run(command, capture_output=True, check=False, text=True, errors="replace", env=environment)
