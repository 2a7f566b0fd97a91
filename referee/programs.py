"""Which program a command starts on this machine."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path

from quietmove.referee.config import EngineConfig
from quietmove.referee.launch import Launch

__all__ = ["OWN_ENGINE", "is_there", "launch_of", "resolve"]

OWN_ENGINE = "quietmove"  # as the first word of a command: the engine of this installation, whatever PATH says


def resolve(command: Sequence[str]) -> tuple[str, ...]:
    """Return ``command`` as it is started here; :data:`OWN_ENGINE` is the script beside the interpreter, or the module.

    So the engine is found even if its environment is not activated.
    """
    if command[0] != OWN_ENGINE:
        return tuple(command)
    script = Path(sys.executable).with_name(OWN_ENGINE)
    own = (str(script),) if script.is_file() else (sys.executable, "-m", OWN_ENGINE)
    return (*own, *command[1:])


def is_there(command: Sequence[str]) -> bool:
    """Tell whether there is such a program, and it may be run."""
    return shutil.which(resolve(command)[0]) is not None


def launch_of(config: EngineConfig) -> Launch:
    """Return how the process of an engine is started."""
    words = resolve(config.command)
    program = shutil.which(words[0]) or words[0]
    return Launch(os.path.abspath(program), words, os.getcwd(), dict(os.environ))  # noqa: PTH100, PTH109
