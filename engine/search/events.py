"""The events of a traced search: immutable values, with moves as the game's integers.

A node is identified by its ply: everything between ``Enter`` and ``Value`` at the same ply happens below it. Scores and
bounds are in hundredths, from the point of view of the side to move at that node.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeGuard, TypeVar

from quietmove.engine.values import Bound

TURNED: dict[Bound, Bound] = {"exact": "exact", "lower": "upper", "upper": "lower"}
Window = tuple[int | None, int | None]
Score = TypeVar("Score", int, int | None)
Source = Literal["moves", "static", "table", "over", "solver", "distance"]


@dataclass(frozen=True, slots=True)
class Enter:
    """An event emitted when the search enters a position.

    :param ply: moves from the root; 0 starts a search, with a different window or depth than the last one.
    :param move: the move that led here, or None at the root.
    :param side: the side to move, 0 or 1.
    :param depth: remaining depth in plies, 0 or less at the horizon; None for a search to the end of the game.
    :param alpha, beta: the window, with None for an open bound.
    """

    ply: int
    move: int | None
    side: int
    depth: int | None
    alpha: int | None
    beta: int | None


@dataclass(frozen=True, slots=True)
class Bounds:
    """An event emitted when a move raises alpha without reaching beta, which narrows the window."""

    ply: int
    move: int
    alpha: int
    beta: int | None


@dataclass(frozen=True, slots=True)
class Cutoff:
    """An event emitted when a move reaches beta. The opponent will avoid this position, so other moves are skipped.

    :param move: the refuting move.
    :param value: its value, at least ``beta``.
    :param untried: the moves skipped.
    :param saved: the number of leaves, at this depth, below the skipped moves.
    """

    ply: int
    move: int
    value: int
    beta: int
    untried: tuple[int, ...]
    saved: int


@dataclass(frozen=True, slots=True)
class Value:
    """An event emitted when the search leaves a position, with the position's value.

    :param bound: whether ``value`` is ``exact``, a ``lower`` bound or an ``upper`` bound.
    :param source: its origin: the moves tried, the static evaluation at the horizon, the transposition table, the end
        of the game, the game's own solver, or the distance to a win already found (mate-distance pruning).
    :param saved: the number of leaves, at this depth, below a position cut off by mate-distance pruning; else 0.
    """

    ply: int
    value: int
    bound: Bound
    source: Source
    saved: int = 0


Event = Enter | Bounds | Cutoff | Value


def is_leaf(event: Event) -> TypeGuard[Value]:
    """Return whether an event is the value of a leaf: the end of the game, the horizon, or a solved position."""
    return isinstance(event, Value) and event.source in ("over", "static", "solver")


def turned(score: Score, side: int) -> Score:
    """Convert a score from the point of view of ``side`` to the first player's."""
    return -score if side and score is not None else score


def window_of(event: Enter | Bounds, side: int) -> Window:
    """Return the window of a node with ``side`` to move, from the first player's point of view."""
    return (turned(event.beta, 1), turned(event.alpha, 1)) if side else (event.alpha, event.beta)
