"""The picture of a game tree: all of a small tree, or the part near the current node of a large one."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import replace

from quietmove.addons.games.tree.nodes import Tree, format_value
from quietmove.engine.games.picture import Item, Kind, Mark, Picture

MAX_WIDTH = 16.0  # maximum width of a picture, in stone widths
LEVEL_HEIGHT = 1.7  # vertical distance between two levels of the tree, in stone widths
DEEPEST = 5  # maximum number of levels below the top node of a picture
ABOVE = 2  # maximum number of levels shown above the top node in a partial picture
MAX_IN_ROW = 12  # maximum number of nodes per row if the children do not fit in one row
PLAYERS = ("Max", "Min")


def tree_picture(tree: Tree, node: int, side: int) -> Picture:
    """Return the picture of a game at ``node`` with ``side`` to move."""
    return Drawing(tree, node, side).picture()


class Drawing:
    """The layout of a tree picture: the visible nodes and their coordinates."""

    def __init__(self, tree: Tree, node: int, side: int) -> None:
        self._tree = tree
        self._way = way_to(tree, node)
        self._first_side = (side + len(self._way) - 1) & 1
        self._items: list[Item] = []
        self._column = 0.0

    def picture(self) -> Picture:
        """Return the finished picture."""
        top, depth = self._part()
        above = self._way[: self._way.index(top)][-ABOVE:]
        wide = self._width(top, depth)
        if depth == 1 and wide > MAX_WIDTH:
            return self._in_rows(top, above)
        wide = max(wide, 3.0)
        parent = self._chain(above, wide / 2)
        self._column = (wide - self._width(top, depth)) / 2
        x = self._place(top, parent, len(above), depth)
        self._items[: len(above)] = [replace(item, x=x) for item in self._items[: len(above)]]
        return Picture(wide, LEVEL_HEIGHT * (len(above) + depth) + 1.2, tuple(self._items))

    def _part(self) -> tuple[int, int]:
        """Return the top visible node and the number of visible levels below it."""
        height = self._tree.height[0]
        if height <= DEEPEST and self._width(0, height) <= MAX_WIDTH:
            return 0, height
        top = self._way[-1] if self._tree.child_count[self._way[-1]] else self._way[-2:][0]
        depth = 1
        while depth < min(DEEPEST, self._tree.height[top]) and self._width(top, depth + 1) <= MAX_WIDTH:
            depth += 1
        return top, depth

    def _ends(self, node: int, depth: int) -> list[int]:
        """Return the lowest visible nodes, stopping early if there are too many to fit."""
        ends = [node]
        for _ in range(depth):
            ends = [below for each in ends for below in (self._children(each) or [each])]
            if len(ends) > MAX_WIDTH:
                break
        return ends

    def _width(self, node: int, depth: int) -> float:
        """Return the width of the subtree at ``node``, or a lower bound if it is too wide for a picture."""
        return sum(map(self._room, self._ends(node, depth)))

    def _room(self, node: int) -> float:
        """Return the width of a node including spacing. The width of a leaf depends on its value."""
        return 1.0 if self._tree.child_count[node] else max(1.0, 0.2 * len(format_value(self._tree.value[node])) + 0.35)

    def _children(self, node: int) -> range:
        first = self._tree.first_child[node]
        return range(first, first + self._tree.child_count[node])

    def _place(self, node: int, parent: int | None, level: int, depth: int) -> float:
        """Draw a node and its subtree, and return its x coordinate."""
        number = len(self._items)
        y = LEVEL_HEIGHT * level + 0.5
        self._items.append(self._item(node, 0, y, parent))
        children = self._children(node) if depth else range(0)
        if children:
            places = [self._place(child, number, level + 1, depth - 1) for child in children]
            x = (places[0] + places[-1]) / 2
        else:
            room = self._room(node)
            x = self._column + room / 2
            self._column += room
            self._continue(node, x, y)
        self._items[number] = self._item(node, x, y, parent)
        return x

    def _chain(self, nodes: list[int], x: float) -> int | None:
        """Draw nodes one below the other, and return the index of the last item, or None if there are no nodes."""
        for level, node in enumerate(nodes):
            self._items.append(self._item(node, x, LEVEL_HEIGHT * level + 0.5, level - 1 if level else None))
        return len(nodes) - 1 if nodes else None

    def _in_rows(self, top: int, above: list[int]) -> Picture:
        """Draw a node with its children in several rows below it."""
        children = self._children(top)
        room = max(map(self._room, children))
        columns = min(MAX_IN_ROW, int(MAX_WIDTH / room))
        wide = columns * room
        start = LEVEL_HEIGHT * len(above) + 0.5
        parent = self._chain(above, wide / 2)
        self._items.append(self._item(top, wide / 2, start, parent))
        for place, child in enumerate(children):
            x, y = (place % columns + 0.5) * room, start + LEVEL_HEIGHT * (1 + place // columns)
            self._items.append(self._item(child, x, y, None))
            self._continue(child, x, y)
        return Picture(wide, start + LEVEL_HEIGHT * -(-len(children) // columns) + 0.7, tuple(self._items))

    def _continue(self, node: int, x: float, y: float) -> None:
        """Draw an ellipsis below a node if it has children that are not shown."""
        if self._tree.child_count[node]:
            self._items.append(Item("text", x, y + 0.62, "\u22ee"))

    def _item(self, node: int, x: float, y: float, parent: int | None) -> Item:
        tree, way = self._tree, self._way
        above = parent_of(tree, node)
        number = node - tree.first_child[above] + 1 if node else 0
        mark: Mark = "last" if node == way[-1] else "path" if node in way else ""
        move = str(number) if node and above == way[-1] else ""
        count = tree.child_count[node]
        side = (self._first_side + len(way_to(tree, node)) - 1) & 1
        parts = [f"child {number}"] if node else ["root"]
        parts += ["the game is here"] if mark == "last" else []
        parts += [
            f"{PLAYERS[side]} chooses among {count}" if count else f"leaf, value {format_value(tree.value[node])}"
        ]
        text = (str(number) if node else "") if count else format_value(tree.value[node])
        kind: Kind = "leaf" if not count else "min" if side else "max"
        return Item(kind, x, y, text, str(node), ", ".join(parts), side if count else None, move, None, parent, mark)


def way_to(tree: Tree, node: int) -> list[int]:
    """Return the path from the root of a tree to ``node``."""
    way = [node]
    while way[-1]:
        way.append(parent_of(tree, way[-1]))
    return way[::-1]


def parent_of(tree: Tree, node: int) -> int:
    """Return the parent of a node, or 0 for the root. ``first_child`` never decreases, so a binary search finds it."""
    return bisect_right(tree.first_child, node) - 1 if node else 0
