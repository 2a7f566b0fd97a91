"""Plain minimax. The tests compare exact searches with it; the engine does not use it.

It uses no pruning, caching or ordering (Shannon 1950, in the negamax form of Knuth and Moore 1975).
"""

from __future__ import annotations

import cython
from cython.cimports.quietmove.engine.search.node import score_from_child

from quietmove.engine.games.base import Position


class Minimax:
    """A full search of one position.

    :ivar nodes: calls of ``make`` so far.
    """

    def __init__(self, position: Position) -> None:
        self.position = position
        self.nodes = 0

    def value(self, depth: int) -> int:
        """Return the value at ``depth`` plies, in hundredths, from the side to move's point of view.

        A depth that reaches every empty square means a search to the end of the game, regardless of passes.
        """
        value: cython.int = self.best(255 if depth >= self.position.remaining() else depth)
        self.position.check()
        return value

    def best(self, depth: cython.int) -> cython.int:
        """Return the value of the position at ``depth`` plies; 255 means to the end of the game."""
        if depth == 0:
            return self.position.evaluate()
        moves = cython.declare(cython.int[512])
        count: cython.int = self.position.generate(moves, 0)
        if count == 0:
            return self.position.final_score()
        best: cython.int = -32000
        score: cython.int
        i: cython.int
        for i in range(count):
            self.nodes += 1
            self.position.make(moves[i])
            score = score_from_child(-self.best(depth - 1))
            self.position.unmake()
            if score > best:
                best = score
        return best
