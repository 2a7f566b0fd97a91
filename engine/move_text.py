"""Split a game's text into moves, in the notations that people and programs use.

Accepted: ``f5d6c3``, ``F5-D6,C3``, ``6 4 4 3 3 6``, ``1. f5 d6 2. c3``, ``1) f5; 2) d6``, ``f5 (pass)`` and ``1 f5 d6 2
c3 33-31``. A move number that ends in a dot, a colon or a bracket may have any value, because some programs count
passes and some do not, and an excerpt may start anywhere.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

PASSES = frozenset(("pass", "--", "pa", "ps", "0000"))  # in lower case
RESULT = re.compile(r"\(?(?:\*|½-½|1/2-1/2|\d{1,2}[-:–]\d{1,2})\)?")
NUMBER = r"\d{1,3}(?:\.+|…|[):])(?!\d)"
SQUARE = r"[a-z]\d{1,2}(?!\d)"
# ``pass`` can be repeated without a space, up to ten times so that a long run cannot take quadratic time.
PASS = r"--|(?<!\d)0000(?!\d)|(?:(?<![a-z])|(?<=pass))(?:pass|p[as])(?=(?:pass){0,9}(?![a-z](?!\d)))"
# Splits a word into squares and passes. Any other text is kept, since it may be a result, a number or an error.
OF_SQUARES = re.compile(
    rf"{NUMBER}|\(?({SQUARE}|{PASS})\)?(?:[,;]|-(?!-))?|[,;-]+$|(.+?)(?=$|{SQUARE})", re.IGNORECASE | re.ASCII
)
OF_WORDS = re.compile(rf"(?:^{NUMBER})?()(.*)")


def split_moves(words: Iterable[str], squares: bool = True) -> list[str]:
    """Return the moves of a game as spelled, without move numbers and separators.

    :param squares: whether moves are squares. If so, they can be run together, and two numbers are a column and a row.
    """
    pattern = OF_SQUARES if squares else OF_WORDS
    found = (each for word in " ".join(words).split() for each in pattern.findall(word))
    pieces = [piece for move, rest in found if (piece := move or rest.rstrip(",;"))]
    return _join_numbers(pieces) if squares and any(map(str.isdecimal, pieces)) else pieces


def is_result(text: str) -> bool:
    """Return whether the last word of a game looks like a result. In some games a move looks the same."""
    return RESULT.fullmatch(text) is not None


def _join_numbers(pieces: list[str]) -> list[str]:
    """Join two consecutive numbers into a square, and drop a single number if it is the current move number."""
    moves: list[str] = []
    index = 0
    while index < len(pieces):
        piece, following = pieces[index], pieces[index + 1 : index + 2]
        index += 1
        if following and _is_number(piece):
            if _is_number(following[0]):
                piece = f"{piece} {following[0]}"
                index += 1
            elif piece in (str(len(moves) + 1), str(len(moves) // 2 + 1)):  # counting moves, or pairs of moves
                continue
        moves.append(piece)
    return moves


def _is_number(piece: str) -> bool:
    return piece.isdecimal() and piece not in PASSES
