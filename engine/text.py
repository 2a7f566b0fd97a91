"""Text that came from somewhere else, on its way to a terminal, a transcript or a report."""

from __future__ import annotations

__all__ = ["printable", "printable_lines"]

MOST = 2000  # characters of a line; a message that lists what is allowed has a few hundred


def printable(text: str, most: int = MOST) -> str:
    """Return ``text`` as one line that a terminal only shows.

    What is not printable is escaped as Python does: control characters, which move the cursor or change colours, those
    that change the direction of a line, line ends, and lone surrogates. A tab becomes a blank. Of a line that is longer
    than ``most`` only the beginning is left, with the number of the other characters.
    """
    line = text[:most].replace("\t", " ")
    if not line.isprintable():
        line = "".join(each if each.isprintable() else ascii(each)[1:-1] for each in line)
    return line if len(text) <= most else f"{line} [... {len(text) - most} characters more]"


def printable_lines(text: str) -> str:
    """Return ``text``, which may have several lines, with each as :func:`printable` gives it."""
    return "\n".join(map(printable, text.split("\n")))
