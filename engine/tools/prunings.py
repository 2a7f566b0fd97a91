"""The log of a search's prunings: each cutoff with its node and window, the root's moves, and the totals.

The events of a traced search go in one after the other, so that a search of any length can be followed. Values and
windows that come out are the first player's, as lectures draw them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from quietmove.engine.games.base import DECISIVE, Game, Position
from quietmove.engine.search.events import (
    TURNED,
    Bounds,
    Cutoff,
    Enter,
    Event,
    Value,
    Window,
    is_leaf,
    turned,
    window_of,
)
from quietmove.engine.search.node import INFINITE
from quietmove.engine.search.traced_search import TracedSearch, require_small
from quietmove.engine.tools.lab.searches import full_depth
from quietmove.engine.values import Bound, Settings

__all__ = ["Pruning", "PruningLog", "RootMove", "search_traced"]

LOG_LIMIT = 10_000_000  # positions of a tree whose search is followed without being kept


@dataclass(frozen=True, slots=True)
class Pruning:
    """A cutoff: one move refutes a position, and the rest is not tried.

    :param node: the moves from the root to the position.
    :param alpha, beta: the window there in hundredths, None where it is open.
    :param move: the move that refutes; ``value`` what it is worth.
    :param skipped: the moves that are not tried; ``leaves`` how many leaves lie behind them.
    """

    node: tuple[str, ...]
    alpha: int | None
    beta: int | None
    move: str
    value: int
    skipped: tuple[str, ...]
    leaves: int


@dataclass(frozen=True, slots=True)
class RootMove:
    """What a search found out about a move of the root.

    :param value: in hundredths; a win counts the plies from the root.
    :param bound: whether that is the value (``exact``), or at least (``lower``) or at most (``upper``) the value.
    """

    move: str
    value: int
    bound: Bound


class PruningLog:
    """What is to be noted of one search, whose events are given to :meth:`take`.

    :ivar value: of the root in hundredths, None until the search is done.
    :ivar side: who is to move at the root.
    :ivar positions: how often the search came to a position below the root.
    :ivar leaves: how often it came to a leaf: the end of the game, or the horizon.
    :ivar cutoffs, skipped, saved: how many cutoffs there were, the moves that were not tried, and the leaves behind.
    :ivar cut_short, not_searched: positions left before a move was tried, since no win there could be quicker than one
        elsewhere, and the leaves behind; alpha-beta's ``leaves + saved + not_searched`` are the leaves of the tree.
    """

    def __init__(self, game: Game) -> None:
        self.value: int | None = None
        self.side = 0
        self.positions = self.leaves = self.cutoffs = self.skipped = self.saved = self.cut_short = self.not_searched = 0
        self._spell = game.format_move
        self._found: dict[str, RootMove] = {}
        self._path: list[Enter] = []
        self._windows: list[Window] = []

    @property
    def root_moves(self) -> tuple[RootMove, ...]:
        """The moves of the root in the order in which they were tried."""
        return tuple(self._found.values())

    @property
    def ties(self) -> list[RootMove]:
        """The moves of the root that returned the best value, which of some is only a bound, in the order of trial."""
        best = (min if self.side else max)(self._found.values(), key=lambda found: found.value)
        return [found for found in self._found.values() if found.value == best.value]

    def take(self, event: Event) -> Pruning | None:
        """Count an event; return the pruning that it is, None if it is none."""
        match event:
            case Enter():
                self.positions += event.ply > 0
                self.side = event.side if event.ply == 0 else self.side
                self._path.append(event)
                self._windows.append(window_of(event, event.side))
            case Bounds():
                self._windows[-1] = window_of(event, self._path[-1].side)
            case Value():
                self._leave(event)
            case Cutoff():
                self.cutoffs += 1
                self.skipped += len(event.untried)
                self.saved += event.saved
                node = tuple(self._spell(entered.move) for entered in self._path if entered.move is not None)
                value = turned(event.value, self._path[-1].side)
                untried = tuple(map(self._spell, event.untried))
                return Pruning(node, *self._windows[-1], self._spell(event.move), value, untried, event.saved)
        return None

    def _leave(self, event: Value) -> None:
        self._windows.pop()
        entered = self._path.pop()
        self.leaves += is_leaf(event)
        self.cut_short += event.source == "distance"
        self.not_searched += event.saved
        value = turned(event.value, entered.side)
        if event.ply == 0:
            self.value = value
        elif event.ply == 1 and entered.move is not None:
            farther = (value < -DECISIVE) - (value > DECISIVE)
            move = self._spell(entered.move)
            self._found[move] = RootMove(move, value + farther, TURNED[event.bound] if entered.side else event.bound)


def search_traced(position: Position, depth: int, settings: Settings, emit: Callable[[Event], None]) -> None:
    """Search a position once, without a table, and give each event to ``emit``.

    :param position: used and restored; it has a legal move.
    :param depth: plies; one that reaches the end of the game means its end.
    :raises LimitsError: if the tree has more than :data:`LOG_LIMIT` positions before anything is pruned.
    """
    plies, moves = full_depth(position, depth), position.legal_moves()
    require_small(position, plies, settings.quiescence, moves, LOG_LIMIT)
    search = TracedSearch(position, None, settings, lambda: False, emit)
    search.run(plies, -INFINITE, INFINITE, moves, whole=True)
