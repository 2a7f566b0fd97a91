"""What a traced search tells, step by step: frozen values, moves as the game's integers.

A node is known by its ply: between ``Enter`` and ``Value`` at one ply lies all that happens below it. Scores and bounds
are hundredths from the side to move at that node.
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
    """The search comes to a position.

    :param ply: moves from the root; at 0 a search begins, with another window or depth than the last.
    :param move: the move that leads here, None at the root.
    :param side: who is to move, 0 or 1.
    :param depth: plies still to search, 0 or less at the horizon; None to the end of the game.
    :param alpha, beta: the window, None where it is open.
    """

    ply: int
    move: int | None
    side: int
    depth: int | None
    alpha: int | None
    beta: int | None


@dataclass(frozen=True, slots=True)
class Bounds:
    """A move turned out better than alpha, and no better than beta allows: the window is narrower now."""

    ply: int
    move: int
    alpha: int
    beta: int | None


@dataclass(frozen=True, slots=True)
class Cutoff:
    """A move turned out so good that the opponent will avoid this position: the rest is not tried.

    :param move: the move that refutes.
    :param value: its value, at least ``beta``.
    :param untried: the moves that are not tried.
    :param saved: the leaves, at this depth, of the trees below those moves.
    """

    ply: int
    move: int
    value: int
    beta: int
    untried: tuple[int, ...]
    saved: int


@dataclass(frozen=True, slots=True)
class Value:
    """The search leaves a position.

    :param bound: whether ``value`` is the true value, or that is at least (``lower``) or at most (``upper``) this.
    :param source: what it comes from: the moves tried, the static estimate at the horizon, the transposition table, the
        end of the game, the game's own solver, or the plies to a win that was found (mate-distance pruning).
    :param saved: the leaves, at this depth, of the tree below a position that mate-distance pruning left; else 0.
    """

    ply: int
    value: int
    bound: Bound
    source: Source
    saved: int = 0


Event = Enter | Bounds | Cutoff | Value


def is_leaf(event: Event) -> TypeGuard[Value]:
    """Tell whether the search leaves a leaf: the end of the game, the horizon, or what the game's own solver took."""
    return isinstance(event, Value) and event.source in ("over", "static", "solver")


def turned(score: Score, side: int) -> Score:
    """Return a score of ``side`` in the first player's view."""
    return -score if side and score is not None else score


def window_of(event: Enter | Bounds, side: int) -> Window:
    """Return the window of a node, whose side to move is ``side``, in the first player's view."""
    return (turned(event.beta, 1), turned(event.alpha, 1)) if side else (event.alpha, event.beta)
