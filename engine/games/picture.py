"""Pictures of positions in games without squares: the items to draw, and the moves played by choosing items."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Kind = Literal["stone", "card", "back", "max", "min", "leaf", "text"]
Mark = Literal["", "last", "gone", "path"]


@dataclass(frozen=True, slots=True)
class Item:
    """An item in a picture.

    :param kind: its shape: a stone, the face or back of a card, a node of a tree with the first or second player to
        move, a leaf, or just text.
    :param x, y: its centre, from the upper left corner, in stone widths; a card is 1 wide and 1.4 high.
    :param text: text drawn on it.
    :param name: an identifier that stays the same for this object throughout a game, or "".
    :param label: text for screen readers, or "" if the item should not be read out.
    :param side: the owner, 0 or 1, or None.
    :param move: the legal move played by choosing it, in the game's notation, or "".
    :param heap: the number of a heap; choosing an item of a heap also takes all later items of the same heap.
    :param parent: the index of the item from which a line is drawn to this one.
    :param mark: ``last`` if the last move placed it, ``gone`` if it removed it, ``path`` if it leads to the position.
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
    """A picture of a position. Legal moves that no item plays are offered next to it.

    :param width, height: size in stone widths, the same for all positions of a game if possible.
    :param items: items in drawing order.
    """

    width: float
    height: float
    items: tuple[Item, ...]
