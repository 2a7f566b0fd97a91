"""Flipello, Othello as the variant programs of chess write it (Fairy-Stockfish): FEN positions and drops ``P@e3``.

Their board is seen from below: rank 1 is row 8 here, so ``P@e3`` is e6. ``P`` and ``w`` stand for the player who moves
first, which is Black, ``p`` and ``b`` for White. A move from a square to itself, ``a1a1``, or ``0000`` is a pass. The
pieces in hand, in brackets, and the counters of a FEN say nothing about the game and are skipped.
"""

from __future__ import annotations

import re

FEN = re.compile(r"(?:[pP1-8]{1,8}/){7}[pP1-8]{1,8}(?:\[[pP]*\])?\s+[wb]\b[-\s\d]*")
DROP = re.compile(r"\b[Pp]?@([a-h])([1-8])\b")
NULL = re.compile(r"\b([a-h][1-8])\1\b")


def is_fen(text: str) -> bool:
    """Return whether a text is a position of Flipello."""
    return FEN.fullmatch(text.strip()) is not None


def position_text(fen: str) -> str:
    """Return a FEN as the protocol writes the position: 64 squares from a1 on, and the side to move.

    A FEN with a rank that has not eight squares gives a text that is not a position.
    """
    board, side, *_ = fen.split()
    ranks = board.partition("[")[0].split("/")
    rows = (re.sub(r"\d", lambda digit: "-" * int(digit[0]), rank) for rank in ranks)
    squares = "".join(rows).replace("P", "X").replace("p", "O")
    return f"{squares} {'X' if side == 'w' else 'O'}"


def has_drops(text: str) -> bool:
    """Return whether a text has moves of Flipello."""
    return DROP.search(text) is not None


def moves_text(text: str) -> str:
    """Return moves of Flipello as squares of Othello; other words stay as they are."""
    squares = DROP.sub(lambda drop: f"{drop[1]}{9 - int(drop[2])}", text)
    return NULL.sub("pass", squares)
