"""Flipello, the Othello notation of chess variant programs (Fairy-Stockfish): FEN positions and drops ``P@e3``.

Ranks count from the bottom: rank 1 is row 8 here, so ``P@e3`` is e6. ``P`` and ``w`` stand for the player who moves
first, Black; ``p`` and ``b`` stand for White. ``0000`` and a move from a square to itself, ``a1a1``, are passes. The
pieces in hand, in brackets, and the counters of a FEN have no meaning in Othello and are skipped.
"""

from __future__ import annotations

import re

FEN = re.compile(r"(?:[pP1-8]{1,8}/){7}[pP1-8]{1,8}(?:\[[pP]*\])?\s+[wb]\b[-\s\d]*")
DROP = re.compile(r"\b[Pp]?@([a-h])([1-8])\b")
NULL = re.compile(r"\b([a-h][1-8])\1\b")


def is_fen(text: str) -> bool:
    """Return whether a text is a Flipello position."""
    return FEN.fullmatch(text.strip()) is not None


def position_text(fen: str) -> str:
    """Convert a FEN to the protocol's position format: 64 squares from a1 on, and the side to move.

    If a rank does not have eight squares, the result is not a valid position.
    """
    board, side, *_ = fen.split()
    ranks = board.partition("[")[0].split("/")
    rows = (re.sub(r"\d", lambda digit: "-" * int(digit[0]), rank) for rank in ranks)
    squares = "".join(rows).replace("P", "X").replace("p", "O")
    return f"{squares} {'X' if side == 'w' else 'O'}"


def has_drops(text: str) -> bool:
    """Return whether a text contains Flipello moves."""
    return DROP.search(text) is not None


def moves_text(text: str) -> str:
    """Convert Flipello moves to Othello squares, and leave other words unchanged."""
    squares = DROP.sub(lambda drop: f"{drop[1]}{9 - int(drop[2])}", text)
    return NULL.sub("pass", squares)
