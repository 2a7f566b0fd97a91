"""Iterative deepening for games of chance: :class:`Deepening` over the recursion of :class:`Expectimax`.

The value of a move is an average, so a line of best play ends at the next chance node, and a report contains one move.
"""

from __future__ import annotations

from quietmove.addons.games.expectimax import Expectimax
from quietmove.engine.search.deepening import Deepening
from quietmove.engine.search.node import INFINITE


class ChanceDeepening(Deepening):
    """A search of a game of chance; see :class:`Deepening`."""

    _recursion = Expectimax
    _dividable = False

    def _value(self, depth: int, plies: int, guess: int, roots: list[int]) -> int:
        """Return the value of the root, searched with an open window.

        Measurements showed that averages vary too much between iterations for an aspiration window to save nodes.
        """
        return self._search.run(plies, -INFINITE, INFINITE, roots, whole=len(roots) == len(self._legal))

    def _rest_of_game(self, line: list[int], value: int) -> list[int]:
        return []
