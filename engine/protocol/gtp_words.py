"""The words behind a command of GTP: how many there are, and what they write."""

from __future__ import annotations

from quietmove.engine.errors import QuietmoveError
from quietmove.engine.protocol.lines import parse_integer

__all__ = ["SHOWN", "CommandError", "expect", "read_color", "read_count"]

COLORS = {"b": 0, "black": 0, "w": 1, "white": 1}
SHOWN = 60  # characters of a word that an error repeats


class CommandError(QuietmoveError):
    """A command that is answered by ``?`` and this text."""


def expect(words: list[str], *names: str) -> list[str]:
    """Return the words that follow a command, as many as there are names.

    :raises CommandError: if there are more or fewer.
    """
    if len(words) != len(names):
        raise CommandError(f"{', '.join(names) or 'nothing'} must follow; {len(words)} words came")
    return words


def read_color(word: str) -> int:
    """Return the side that a color names.

    :raises CommandError: if it names none.
    """
    if word.lower() not in COLORS:
        raise CommandError(f"color: black or white is allowed; {word[:SHOWN]!r} came")
    return COLORS[word.lower()]


def read_count(word: str) -> int:
    """Return a whole number of seconds or moves.

    :raises CommandError: if the word writes none.
    """
    count = parse_integer(word)
    if count is None or count < 0:
        raise CommandError(f"a whole number of at least 0 is allowed; {word[:SHOWN]!r} came")
    return count
