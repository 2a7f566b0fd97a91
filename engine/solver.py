"""The exact value of a position by a search to the end of the game, for whoever judges a game and plays none."""

from __future__ import annotations

from quietmove.engine.games.base import DECISIVE, Position
from quietmove.engine.search.deepening import Deepening
from quietmove.engine.search.table import Table
from quietmove.engine.values import Limits, Settings

TABLE_MEGABYTES = 4


class Solver:
    """One exact search of one position; selectivity and quiescence are off, so its value is the true one."""

    def __init__(self, position: Position, nodes: int) -> None:
        """Prepare the search of a copy of ``position``, which ends after ``nodes`` nodes at the latest.

        :raises LimitsError: if the game cannot be searched to its end.
        """
        self._plies = position.moves_left()
        limits = Limits(nodes=nodes, goal="solve")
        self._search = Deepening(position.copy(), Table(TABLE_MEGABYTES), Settings(), limits)

    def value(self) -> int | None:
        """Return the value for the side to move, in hundredths; None if the nodes did not suffice.

        It blocks; an iteration that was not completed is not reported, so what is reported last is exact.
        """
        reports = list(self._search.iterations())
        if not reports:
            return None
        last = reports[-1]
        if last.depth < self._plies and abs(last.score.value) <= DECISIVE:
            return None
        return last.score.value

    def stop(self) -> None:
        """End the search as soon as possible; from any thread."""
        self._search.stop()
