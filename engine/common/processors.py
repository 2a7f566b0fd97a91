"""The CPUs available to this process."""

from __future__ import annotations

import os


def usable_processors() -> set[int]:
    """Return the IDs of the CPUs this process may use, or of all CPUs if the system cannot report them (macOS)."""
    if hasattr(os, "sched_getaffinity"):
        return os.sched_getaffinity(0)
    return set(range(os.cpu_count() or 1))
