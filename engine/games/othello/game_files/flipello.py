"""Convert Othello moves as written by Fairy-Stockfish, which calls the game Flipello: drops such as ``P@e3``.

Ranks count from the bottom: rank 1 is row 8 here, so ``P@e3`` is e6. ``0000`` and a move from a square to itself,
``a1a1``, are passes.
"""

from __future__ import annotations

import re

DROP = re.compile(r"\b[Pp]?@([a-h])([1-8])\b")
NULL = re.compile(r"\b([a-h][1-8])\1\b")


def moves_text(text: str) -> str:
    """Convert Flipello moves to Othello squares. Other words do not change, nor does a text without drops."""
    if not DROP.search(text):
        return text
    squares = DROP.sub(lambda drop: f"{drop[1]}{9 - int(drop[2])}", text)
    return NULL.sub("pass", squares)
