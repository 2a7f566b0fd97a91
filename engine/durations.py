"""Times as people write them: ``500ms``, ``2s``, ``1.5s``; a bare number is in the unit of its place."""

from __future__ import annotations

import re

__all__ = ["UNITS", "milliseconds"]

DURATION = re.compile(r"(\d{1,12}(?:\.\d{1,6})?)(ms|s)?", re.ASCII)
UNITS = {"ms": 1, "s": 1000}  # milliseconds


def milliseconds(text: str, unit: str) -> float | None:
    """Return the time that ``text`` writes, or None if it writes none.

    :param unit: ``ms`` or ``s``, of a bare number.
    """
    found = DURATION.fullmatch(text.strip())
    return float(found[1]) * UNITS[found[2] or unit] if found else None
