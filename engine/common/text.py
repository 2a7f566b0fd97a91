"""Text that came from somewhere else: escaped for a terminal, compared with words that are known, read as a time."""

from __future__ import annotations

import errno
import re
from collections.abc import Iterable

LONGEST_LINE = 2000  # characters of a line; a message that lists what is allowed has a few hundred
NO_ROOM = (errno.ENOSPC, errno.EFBIG, errno.EDQUOT)
DURATION = re.compile(r"(\d{1,12}(?:\.\d{1,6})?)(ms|s)?", re.ASCII)
UNITS = {"ms": 1, "s": 1000}  # milliseconds


def printable(text: str, most: int = LONGEST_LINE) -> str:
    """Return ``text`` as one line that a terminal only shows.

    Characters that are not printable are escaped as Python does: control characters, which move the cursor or change
    colours, characters that change the direction of a line, line ends, and lone surrogates. A tab becomes a blank. A
    line longer than ``most`` characters is cut off, and ends with the number of characters that were left out.
    """
    line = text[:most].replace("\t", " ")
    if not line.isprintable():
        line = "".join(each if each.isprintable() else ascii(each)[1:-1] for each in line)
    return line if len(text) <= most else f"{line} [... {len(text) - most} characters more]"


def explain(error: OSError) -> str:
    """Return what could not be read or written, and why; a full disk without a file's name is standard output's."""
    place = error.filename or ("standard output" if error.errno in NO_ROOM else "")
    return printable(f"{place}: {error.strerror}" if place else str(error))


def nearest(text: str, names: Iterable[str]) -> str:
    """Return the name that is nearest to ``text`` in any case, or nothing if none is near."""
    from difflib import get_close_matches  # imported only for a mistyped word

    by_lower = {name.lower(): name for name in names}
    near = get_close_matches(text.lower()[:40], by_lower, n=1)
    return by_lower[near[0]] if near else ""


def did_you_mean(text: str, names: Iterable[str]) -> str:
    """Return ``; did you mean 'X'?`` for the name nearest to ``text``, or nothing if none is near."""
    name = nearest(text, names)
    return f"; did you mean {name!r}?" if name else ""


def one_of(what: str, names: Iterable[str], came: object) -> str:
    """Return the message that ``what`` must be one of the names, not ``came``."""
    allowed = tuple(names)
    return f"{what}: must be one of {', '.join(allowed)}, not {came!r}{did_you_mean(str(came), allowed)}"


def milliseconds(text: str, unit: str) -> float | None:
    """Return the time that ``text`` writes (``500ms``, ``1.5s``), or None if it writes none.

    :param unit: the unit of a bare number, ``ms`` or ``s``.
    """
    found = DURATION.fullmatch(text.strip())
    return float(found[1]) * UNITS[found[2] or unit] if found else None
