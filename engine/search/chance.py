"""Iterative deepening for games of chance: :class:`Deepening` over the recursion of :class:`Expectimax`.

The value of a move is an average, so a line of best play ends at nature's next turn: a report's line is one move.
"""

from __future__ import annotations

import time
from collections.abc import Callable

from quietmove.engine.errors import GameError
from quietmove.engine.games.base import NATURE, Position
from quietmove.engine.search.deepening import Deepening
from quietmove.engine.search.expectimax import Expectimax
from quietmove.engine.search.node import INFINITE
from quietmove.engine.search.table import Table
from quietmove.engine.values import Limits, Settings

__all__ = ["ChanceDeepening"]


class ChanceDeepening(Deepening):
    """One search of a game of chance; the parameters and the rest are those of :class:`Deepening`.

    :raises GameError: if it is nature's turn, so that there is no move to choose.
    """

    _recursion = Expectimax
    _dividable = False

    def __init__(
        self,
        position: Position,
        table: Table | None,
        settings: Settings,
        limits: Limits,
        clock: Callable[[], float] = time.perf_counter,
    ) -> None:
        if position.side_to_move == NATURE:
            count = len(position.outcomes())
            raise GameError(f"it is nature's turn: one of its {count} outcomes must be played first")
        super().__init__(position, table, settings, limits, clock)

    def _value(self, depth: int, plies: int, guess: int, roots: list[int]) -> int:
        """Return the value of the root, searched in an open window.

        From one iteration to the next the averages sway too much for a window around the last of them: it was measured
        to cost more nodes than it saves.
        """
        return self._search.run(plies, -INFINITE, INFINITE, roots, whole=len(roots) == len(self._legal))

    def _rest_of_game(self, line: list[int], value: int) -> list[int]:
        """Return nothing: no solver takes over here."""
        return []
