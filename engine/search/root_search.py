"""Code shared by all root searches: reports, pondering, stopping, and a result at any time."""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

from quietmove.engine.errors import GameError
from quietmove.engine.games.base import NATURE, Position
from quietmove.engine.search.node import SOLVED
from quietmove.engine.search.time_manager import TimeManager
from quietmove.engine.values import Info, Limits, SearchResult, Settings

if TYPE_CHECKING:
    from quietmove.engine.search.limited import LimitedSearch
    from quietmove.engine.search.parallel import Team
    from quietmove.engine.search.table import Table


class AnySearch(ABC):
    """Anything that produces a result: a search, an opening book, or a game's theory."""

    @abstractmethod
    def iterations(self) -> Iterator[Info[int]]:
        """Search, and yield a report for each line of each completed iteration."""

    @abstractmethod
    def result(self) -> SearchResult:
        """Return the result of the last iteration that has one, or the first legal move if there is none yet."""

    def stop(self) -> None:  # noqa: B027 (books have nothing to stop)
        """Stop the search as soon as possible. Thread-safe."""

    def ponderhit(self) -> None:  # noqa: B027 (books have no clock)
        """Start the clock of a ponder search. Thread-safe."""


class RootSearch(AnySearch):
    """A search of a root position, from the first report to the result.

    The first iteration is never interrupted by limits or :meth:`stop`, so that the result always comes from a search;
    one ply takes only a few microseconds. Only searches of games written in Python, which can be slow, obey the clock
    and :meth:`stop` earlier.

    :param position: the root position.
    :param settings: the search settings.
    :param limits: the search limits.
    :param clock: a function that returns seconds from an arbitrary origin.
    :raises GameError: at a chance node, where there is no move to choose.
    """

    _search: LimitedSearch | Team  # the recursion below the root
    _solves = True  # whether the game's own solver is used, which affects time management

    def __init__(
        self, position: Position, settings: Settings, limits: Limits, clock: Callable[[], float] = time.perf_counter
    ) -> None:
        if position.side_to_move == NATURE:
            count = len(position.outcomes())
            raise GameError(f"this is a chance node: play one of its {count} outcomes first")
        self._position = position
        self._settings = settings
        self._limits = limits
        self._end = position.moves_left()
        reach = position.exact_reach if self._solves else 0
        self._clock = TimeManager(limits, clock, settings.move_overhead, self._end, reach)
        self._legal = position.legal_moves()
        self._roots = [move for move in self._legal if not limits.searchmoves or move in limits.searchmoves]
        self._best: Info[int] | None = None  # the first line of the last iteration with a result
        self._is_stopped = False
        self._may_stop = position.slow

    def stop(self) -> None:
        self._is_stopped = True
        if self._may_stop:  # otherwise _obey_limits() will notice it in the search thread
            self._search.stop()

    def _obey_limits(self) -> None:
        """Let the limits and :meth:`stop` end the search from now on."""
        self._may_stop = True
        if self._limits.nodes is not None:
            self._search.limit_nodes(self._limits.nodes)
        if self._is_stopped:
            self._search.stop()

    def ponderhit(self) -> None:
        self._clock.ponderhit()
        self._search.look_at_clock()

    def _nodes(self) -> int:
        return self._search.nodes

    def result(self) -> SearchResult:
        best = self._best
        elapsed = self._milliseconds()
        if best is None:
            return SearchResult(self._roots[0] if self._roots else None, None, None, 0, self._nodes(), elapsed)
        ponder = best.pv[1] if len(best.pv) > 1 else None
        return SearchResult(best.pv[0], ponder, best.score, best.depth, self._nodes(), elapsed)

    def _milliseconds(self) -> int:
        return int(self._clock.elapsed() * 1000)

    def _completed(self, lines: Sequence[Info[int]], to_end: bool = False) -> None:
        """Record the lines of an iteration, best first; ``to_end`` is whether it reached the end of the game."""
        if self._best is None:
            self._obey_limits()
        self._best = lines[0]
        self._clock.iteration_done(lines[0].pv[0], lines[0].score.value, to_end)

    def _is_forced(self) -> bool:
        """Return whether there is only one move while a clock is running, so that thinking would waste time."""
        return self._clock.timed and len(self._roots) == 1


@runtime_checkable
class OwnSearch(Protocol):
    """A game whose positions the mover alone does not decide, because of chance or hidden cards, with its own search.

    All other games are searched by :class:`quietmove.engine.search.deepening.Deepening`.
    """

    def new_search(
        self, position: Any, table: Table | None, settings: Settings, limits: Limits, clock: Callable[[], float]
    ) -> AnySearch:
        """Return a search of the position; see :class:`RootSearch` for the parameters.

        :param table: the transposition table, or None.
        """


def full_depth(position: Position, depth: int) -> int:
    """Return the depth to pass to the recursion: ``SOLVED`` if ``depth`` reaches the game's end, else ``depth``."""
    return SOLVED if depth >= position.moves_left() else depth
