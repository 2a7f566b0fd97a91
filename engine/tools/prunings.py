"""The log of a search's prunings: each cutoff with its node and window, the root's moves, and the totals.

The events of a traced search go in one after the other, so that a search of any length can be followed. Values and
windows that come out are the first player's, as lectures draw them.
"""

from __future__ import annotations

from dataclasses import dataclass

from quietmove.engine.games.base import DECISIVE, Position
from quietmove.engine.search.events import Bounds, Cutoff, Enter, Event, Value
from quietmove.engine.search.node import SOLVED
from quietmove.engine.search.traced_search import require_small
from quietmove.engine.values import Bound, Settings

__all__ = ["LOG_LIMIT", "Pruning", "PruningLog", "RootMove", "Window", "require_traceable", "turned", "window_of"]

LOG_LIMIT = 10_000_000  # positions of a tree whose search is followed without being kept
TURNED: dict[Bound, Bound] = {"exact": "exact", "lower": "upper", "upper": "lower"}
Window = tuple[int | None, int | None]


@dataclass(frozen=True, slots=True)
class Pruning:
    """A cutoff: one move refutes a position, and the rest is not tried.

    :param node: the moves from the root to the position, as the game's integers.
    :param alpha, beta: the window there in hundredths, None where it is open.
    :param move: the move that refutes; ``value`` what it is worth.
    :param skipped: the moves that are not tried; ``leaves`` how many leaves lie behind them.
    """

    node: tuple[int, ...]
    alpha: int | None
    beta: int | None
    move: int
    value: int
    skipped: tuple[int, ...]
    leaves: int


@dataclass(frozen=True, slots=True)
class RootMove:
    """What a search found out about a move of the root.

    :param value: in hundredths; a win counts the plies from the root.
    :param bound: whether that is the value (``exact``), or at least (``lower``) or at most (``upper``) the value.
    """

    move: int
    value: int
    bound: Bound


class PruningLog:
    """What is to be noted of one search, whose events are given to :meth:`take`.

    :ivar value: of the root in hundredths, None until the search is done.
    :ivar positions: how often the search came to a position below the root.
    :ivar leaves: how often it came to a leaf: the end of the game, or the horizon.
    :ivar cutoffs, skipped, saved: how many cutoffs there were, the moves that were not tried, and the leaves behind.
    :ivar cut_short: positions left before a move was tried, since no win there could be quicker than one elsewhere.
    """

    def __init__(self) -> None:
        self.value: int | None = None
        self.positions = self.leaves = self.cutoffs = self.skipped = self.saved = self.cut_short = 0
        self._found: dict[int, RootMove] = {}
        self._path: list[Enter] = []
        self._windows: list[Window] = []

    @property
    def root_moves(self) -> tuple[RootMove, ...]:
        """The moves of the root in the order in which they were tried."""
        return tuple(self._found.values())

    def take(self, event: Event) -> Pruning | None:
        """Count an event; return the pruning that it is, None if it is none."""
        match event:
            case Enter():
                self.positions += event.ply > 0
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
                node = tuple(entered.move for entered in self._path if entered.move is not None)
                value = turned(event.value, self._path[-1].side)
                return Pruning(node, *self._windows[-1], event.move, value, event.untried, event.saved)
        return None

    def _leave(self, event: Value) -> None:
        self._windows.pop()
        entered = self._path.pop()
        self.leaves += event.source in ("static", "over", "solver")
        self.cut_short += event.source == "distance"
        value = turned(event.value, entered.side)
        if event.ply == 0:
            self.value = value
        elif event.ply == 1 and entered.move is not None:
            farther = (value < -DECISIVE) - (value > DECISIVE)
            self._found[entered.move] = RootMove(
                entered.move, value + farther, TURNED[event.bound] if entered.side else event.bound
            )


def turned(score: int, side: int) -> int:
    """Return a score of ``side`` in the first player's view."""
    return -score if side else score


def window_of(event: Enter | Bounds, side: int) -> Window:
    """Return the window of a node, whose side to move is ``side``, in the first player's view."""
    if side == 0:
        return event.alpha, event.beta
    return None if event.beta is None else -event.beta, None if event.alpha is None else -event.alpha


def require_traceable(position: Position, plies: int, settings: Settings) -> None:
    """Check that a search can be followed to its end.

    :param plies: the depth; :data:`quietmove.engine.search.node.SOLVED` for the end of the game.
    :raises LimitsError: if its tree has more than :data:`LOG_LIMIT` positions before anything is pruned.
    """
    assert plies == SOLVED or plies > 0
    require_small(position, plies, settings.quiescence, position.legal_moves(), LOG_LIMIT)
