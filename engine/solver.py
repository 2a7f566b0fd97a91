"""Exact values of positions by a search to the end of the game, for reviewing games."""

from __future__ import annotations

from quietmove.engine.games.base import DECISIVE, Position
from quietmove.engine.search.deepening import Deepening
from quietmove.engine.search.table import Table
from quietmove.engine.values import Limits, Settings

TABLE_MEGABYTES = 4


class Solver:
    """An exact search of one position, without selectivity and quiescence."""

    def __init__(self, position: Position, nodes: int) -> None:
        """Prepare a search of a copy of ``position``, limited to ``nodes`` nodes.

        :raises LimitsError: if the game cannot be searched to its end.
        """
        self._plies = position.moves_left()
        limits = Limits(nodes=nodes, goal="solve")
        self._search = Deepening(position.copy(), Table(TABLE_MEGABYTES), Settings(), limits)

    def value(self) -> int | None:
        """Search and return the exact value for the side to move, in hundredths, or None if the node limit was reached.

        Only completed iterations are reported, so the last report is exact.
        """
        reports = list(self._search.iterations())
        if not reports:
            return None
        last = reports[-1]
        if last.depth < self._plies and abs(last.score.value) <= DECISIVE:
            return None
        return last.score.value

    def stop(self) -> None:
        """End the search as soon as possible. Can be called from any thread."""
        self._search.stop()
