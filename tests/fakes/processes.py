"""The processes of this machine, as far as a test has marked them."""

from __future__ import annotations

from pathlib import Path

__all__ = ["marked"]


def marked(variable: str) -> int:
    """Return how many processes have an environment variable that only one test sets."""
    found = 0
    for entry in Path("/proc").glob("[0-9]*/environ"):
        try:
            found += variable.encode() in entry.read_bytes()
        except OSError:
            continue
    return found
