"""A game as people and other programs write it down: the moves, with their numbers before and the result after them.

``f5d6c3``, ``1. f5 d6 2. c3``, ``1.f5 2.d6 3.c3``, ``1) f5, 2) d6``, ``1. f5 1... d6 33-31``. Numbers are not compared
with the place of the move: programs count a pass or do not, and an excerpt may begin anywhere.
"""

from __future__ import annotations

import re

__all__ = ["PASSES", "is_result", "words_of_game"]

PASSES = ("pass", "--", "pa", "ps", "0000")
NUMBER = re.compile(r"\d{1,3}(?:\.+|…|[):])(?!\d)")
RESULT = re.compile(r"\(?(?:\*|½-½|1/2-1/2|\d{1,2}[-:–]\d{1,2})\)?")


def words_of_game(text: str) -> list[str]:
    """Return the words of ``text`` without the numbers of moves and without commas between them."""
    words = (word[match.end() :] if (match := NUMBER.match(word)) else word for word in text.split())
    return [word for each in words if (word := each.rstrip(",;"))]


def is_result(word: str) -> bool:
    """Tell whether the last word of a game may be its result. A move of some games looks the same."""
    return RESULT.fullmatch(word) is not None
