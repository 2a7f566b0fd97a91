"""Whether the games and the search run compiled; asked by every command at its start."""

from __future__ import annotations

import sys

import quietmove.engine.games.base

__all__ = ["warn_if_uncompiled"]


def warn_if_uncompiled() -> None:
    """Say so on standard error if the search runs as plain Python: it is correct, and hundreds of times slower."""
    if str(quietmove.engine.games.base.__file__).endswith(".py"):
        sys.stderr.write("quietmove: running uncompiled, hundreds of times slower; reinstall with a C compiler\n")
