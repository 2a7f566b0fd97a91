"""Which of the compiled Othello modules this processor can run."""

from __future__ import annotations

import cython

if cython.compiled:
    from cython.cimports.quietmove.engine.games.othello.cpu_header import has_v3
else:

    def has_v3() -> bool:
        """Tell that an uncompiled run has no use for vectors."""
        return False


__all__ = ["supports_v3"]


def supports_v3() -> bool:
    """Tell whether the x86-64-v3 modules run here."""
    return bool(has_v3())
