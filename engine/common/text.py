"""Text from outside: escaping for terminals, suggestions for misspelt names, and durations."""

from __future__ import annotations

import errno
import re
from collections.abc import Iterable

MAX_LINE_LENGTH = 2000  # characters; messages that list all allowed values have a few hundred
NO_ROOM = (errno.ENOSPC, errno.EFBIG, errno.EDQUOT)
DURATION = re.compile(r"(\d{1,12}(?:\.\d{1,6})?)(ms|s)?", re.ASCII)
UNITS = {"ms": 1, "s": 1000}  # milliseconds


def printable(text: str, most: int = MAX_LINE_LENGTH) -> str:
    """Return ``text`` as a single line that is safe to print on a terminal.

    Unprintable characters are escaped as in Python source: control characters (which move the cursor or set colours),
    characters that change the text direction, line ends, and lone surrogates. A tab becomes a space. Text longer than
    ``most`` characters is truncated, followed by the number of omitted characters.
    """
    line = text[:most].replace("\t", " ")
    if not line.isprintable():
        line = "".join(each if each.isprintable() else ascii(each)[1:-1] for each in line)
    return line if len(text) <= most else f"{line} [... {len(text) - most} characters more]"


def explain(error: OSError) -> str:
    """Return a one-line message for a failed file operation.

    An error about a full disk that names no file is attributed to standard output.
    """
    place = error.filename or ("standard output" if error.errno in NO_ROOM else "")
    return printable(f"{place}: {error.strerror}" if place else str(error))


def nearest(text: str, names: Iterable[str]) -> str:
    """Return the name closest to ``text``, ignoring case, or "" if none is close."""
    from difflib import get_close_matches  # needed only for a misspelt name

    by_lower = {name.lower(): name for name in names}
    near = get_close_matches(text.lower()[:40], by_lower, n=1)
    return by_lower[near[0]] if near else ""


def did_you_mean(text: str, names: Iterable[str]) -> str:
    """Return ``; did you mean 'X'?`` for the name closest to ``text``, or "" if none is close."""
    name = nearest(text, names)
    return f"; did you mean {name!r}?" if name else ""


def one_of(what: str, names: Iterable[str], came: object) -> str:
    """Return the error message "``what``: must be one of …, not …", with a suggestion if a name is close."""
    allowed = tuple(names)
    return f"{what}: must be one of {', '.join(allowed)}, not {came!r}{did_you_mean(str(came), allowed)}"


def milliseconds(text: str, unit: str) -> float | None:
    """Parse a duration such as ``500ms`` or ``1.5s`` into milliseconds; return None if it is not one.

    :param unit: the unit of a bare number, ``ms`` or ``s``.
    """
    match = DURATION.fullmatch(text.strip())
    return float(match[1]) * UNITS[match[2] or unit] if match else None
