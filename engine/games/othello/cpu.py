"""Which of the compiled Othello modules this processor can run."""

from __future__ import annotations

import os

import cython

if cython.compiled:
    from cython.cimports.quietmove.engine.games.othello.cpu_header import has_v3
else:

    def has_v3() -> bool:
        """Tell that an uncompiled run has no use for vectors."""
        return False


__all__ = ["prefer_vectors", "supports_v3"]


def supports_v3() -> bool:
    """Tell whether the x86-64-v3 modules run here."""
    return bool(has_v3())


def prefer_vectors(path: list[str]) -> None:
    """Put a package's folder ``v3``, if it has one, in front of its search ``path`` where these modules run.

    ``QUIETMOVE_CPU=plain`` keeps the plain ones.
    """
    folder = os.path.join(path[0], "v3")
    if supports_v3() and os.environ.get("QUIETMOVE_CPU") != "plain" and os.path.isdir(folder):
        path.insert(0, folder)
