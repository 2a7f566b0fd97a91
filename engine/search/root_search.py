"""What every search of a position is: it deepens, reports, ponders, can be stopped, and has an answer at any time."""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from typing import Protocol

from quietmove.engine.errors import GameError
from quietmove.engine.games.base import NATURE, Position
from quietmove.engine.search.time_manager import TimeManager
from quietmove.engine.values import Info, Limits, SearchResult, Settings

__all__ = ["RootSearch"]


class Stoppable(Protocol):
    """What searches below the root."""

    @property
    def nodes(self) -> int:
        """Calls of ``make`` so far, of all threads."""

    def stop(self) -> None:
        """End the search as soon as possible; from any thread, at any time."""

    def look_at_clock(self) -> None:
        """Ask at the next node whether time is up; from any thread."""


class RootSearch(ABC):
    """One search, from the first report to the answer.

    :param position: where the search begins.
    :param settings: how to search.
    :param limits: when to stop.
    :param clock: seconds from any origin.
    :raises GameError: if it is nature's turn, so that there is no move to choose.
    """

    _search: Stoppable
    _solves = True  # whether the game's own solver takes part, which the shares of time depend on

    def __init__(
        self, position: Position, settings: Settings, limits: Limits, clock: Callable[[], float] = time.perf_counter
    ) -> None:
        if position.side_to_move == NATURE:
            count = len(position.outcomes())
            raise GameError(f"it is nature's turn: one of its {count} outcomes must be played first")
        self._position = position
        self._settings = settings
        self._limits = limits
        self._end = position.moves_left()
        reach = position.exact_reach if self._solves else 0
        self._clock = TimeManager(limits, clock, settings.move_overhead, self._end, reach)
        self._legal = position.legal_moves()
        self._roots = [move for move in self._legal if not limits.searchmoves or move in limits.searchmoves]
        self._best: Info | None = None  # the first line of the last iteration that has an answer

    @abstractmethod
    def iterations(self) -> Iterator[Info]:
        """Search, and yield a report for each line of each iteration that was completed."""

    def stop(self) -> None:
        """End the search as soon as possible; from any thread, at any time."""
        self._search.stop()

    def ponderhit(self) -> None:
        """Let the clock run from now on; from any thread."""
        self._clock.ponderhit()
        self._search.look_at_clock()

    def _nodes(self) -> int:
        return self._search.nodes

    def result(self) -> SearchResult:
        """Return the answer of the last iteration that has one; before there is one, the first legal move."""
        best, elapsed = self._best, self._milliseconds()
        if best is None:
            return SearchResult(self._roots[0] if self._roots else None, None, None, 0, self._nodes(), elapsed)
        ponder = best.pv[1] if len(best.pv) > 1 else None
        return SearchResult(best.pv[0], ponder, best.score, best.depth, self._nodes(), elapsed)

    def _milliseconds(self) -> int:
        return int(self._clock.elapsed() * 1000)

    def _completed(self, lines: Sequence[Info], to_end: bool = False) -> None:
        """Take the lines of an iteration, best first, for the answer.

        :param to_end: whether it reached the end of the game.
        """
        self._best = lines[0]
        self._clock.iteration_done(lines[0].pv[0], lines[0].score.value, to_end)

    def _is_forced(self) -> bool:
        """Tell whether there is but one move while a clock runs: thinking about it wastes time."""
        return self._clock.timed and len(self._roots) == 1
