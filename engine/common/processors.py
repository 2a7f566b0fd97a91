"""The processors of the machine that this process may use."""

from __future__ import annotations

import os


def usable_processors() -> set[int]:
    """Return the numbers of the processors; where the system does not tell them (macOS), those of all processors."""
    if hasattr(os, "sched_getaffinity"):
        return os.sched_getaffinity(0)
    return set(range(os.cpu_count() or 1))
