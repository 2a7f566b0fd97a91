"""A position of a game without squares as a picture: where each thing lies, and which move is played by choosing it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Kind = Literal["stone", "card", "back", "max", "min", "leaf", "text"]
Mark = Literal["", "last", "gone", "path"]


@dataclass(frozen=True, slots=True)
class Item:
    """One thing of a picture.

    :param kind: how it looks: a stone, a card from its face or its back, a node of a tree where the first or the second
        player moves, a leaf, or a text alone.
    :param x, y: its middle, from the upper left corner, in units of a stone's width; a card is 1 wide and 1.4 high.
    :param text: what stands on it.
    :param name: the same for the same thing in all positions of a game; empty where it has none.
    :param label: the text that a screen reader says; empty for an item that says nothing on its own.
    :param side: whose it is, 0 or 1; None if nobody's.
    :param move: the legal move that choosing it plays, as the game writes it, or empty.
    :param heap: choosing one item of a heap takes it together with those of the heap that come after it.
    :param parent: the place in the picture of an item from which a line leads to this one.
    :param mark: ``last`` for what the last move put there, ``gone`` for what it took away, ``path`` for the way here.
    """

    kind: Kind
    x: float
    y: float
    text: str = ""
    name: str = ""
    label: str = ""
    side: int | None = None
    move: str = ""
    heap: int | None = None
    parent: int | None = None
    mark: Mark = ""


@dataclass(frozen=True, slots=True)
class Picture:
    """A picture of a position; a legal move that no item plays is offered beside it.

    :param width, height: in units of a stone's width, the same in all positions of a game as far as that can be.
    :param items: those that lie on others come after them.
    """

    width: float
    height: float
    items: tuple[Item, ...]
