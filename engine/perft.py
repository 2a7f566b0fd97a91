"""Perft: count the leaves of the game tree, move by move, so that counts can be compared and the run interrupted.

A pass is one ply, and a game that ends early counts as one leaf (see :meth:`Position.perft`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from quietmove.engine.games.base import Position

# Size limits for a subtree counted in one compiled call, which takes milliseconds and blocks all other threads.
BULK_DEPTH = 6  # plies
BULK_LEAVES = 300_000  # leaves, estimated from the number of moves at the subtree's root


def leaves(position: Position, depth: int, stopped: Callable[[], bool]) -> int:
    """Return the number of leaves at ``depth``, or fewer if ``stopped`` returns true. The position is restored."""
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
    """Yield each legal move with the number of leaves below it. At depth 0 or if the game is over, yield nothing."""
    for move in position.legal_moves() if depth > 0 else ():
        if stopped():
            return
        position.play(move)
        count = leaves(position, depth - 1, stopped)
        position.undo()
        yield move, count
