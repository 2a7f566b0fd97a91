"""Parsing and formatting of the protocol's lines: a colour, a column and a row."""

from __future__ import annotations

from collections.abc import Sequence

LETTERS = ("B", "W")
COMMENT = "C"
PASS = "pass"


def move_line(letter: str, move: str) -> str:
    """Return the line for a move: ``B d 3``, or ``B`` for a pass."""
    return letter if move == PASS else f"{letter} {move[0]} {move[1:]}"


def move_of(letter: str, words: Sequence[str]) -> str | None:
    """Return the move in a line's words, ``d3`` or ``pass``, or None if they are not a move of this colour."""
    if words[:1] != [letter] or len(words) not in (1, 3):
        return None
    return "".join(words[1:]).lower() or PASS
