"""Perft: count the leaves of the game tree, root move by root move, so that a count can be checked and stopped.

A pass is one ply, and a game that ends earlier counts as one leaf (see :meth:`Position.perft`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from quietmove.engine.games.base import Position

# Limits of a tree that one compiled call counts. No other thread runs in that call, which takes some milliseconds.
BULK_DEPTH = 6  # plies
BULK_LEAVES = 300_000  # leaves of a tree in which each position has as many moves as the root


def leaves(position: Position, depth: int, stopped: Callable[[], bool]) -> int:
    """Return the leaves ``depth`` plies on; fewer when ``stopped`` turns true meanwhile. The position is restored."""
    moves = position.legal_moves()
    if depth == 0 or not moves:
        return 1
    if depth == 1:
        return len(moves)
    if not position.slow and depth <= BULK_DEPTH and len(moves) ** depth <= BULK_LEAVES:
        return position.perft(depth)
    count = 0
    for move in moves:
        if stopped():
            break
        position.play(move)
        count += leaves(position, depth - 1, stopped)
        position.undo()
    return count


def divide(position: Position, depth: int, stopped: Callable[[], bool] = lambda: False) -> Iterator[tuple[int, int]]:
    """Yield each legal move with the leaves below it; nothing at depth 0 or when the game is over: one leaf."""
    for move in position.legal_moves() if depth > 0 else ():
        if stopped():
            return
        position.play(move)
        count = leaves(position, depth - 1, stopped)
        position.undo()
        yield move, count
