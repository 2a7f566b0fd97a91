"""Explicit game trees, as drawn in lectures and used to test theorems about search.

A position is a node of a tree in memory; a move is the number of a child, from 0. Leaves have values from the first
player's point of view. The static value of an inner node is the mean of the leaves below it.
"""

from __future__ import annotations

from array import array
from collections.abc import Sequence

import cython
from cython.cimports.quietmove.engine.games.bit_tricks import mixed

from quietmove.engine.games.base import DECISIVE, Position

VALUE_LIMIT = 280  # points; the search treats higher scores as wins and losses
CHOICES = 2 * 100 * VALUE_LIMIT + 1  # number of possible leaf values: one per hundredth of a point
FULL = 0xFFFFFFFFFFFFFFFF
GOLDEN = 0x9E3779B97F4A7C15  # SplitMix64's increment
SIDE_KEY = cython.declare(cython.ulonglong, 0xD1B54A32D192ED03)

assert 100 * VALUE_LIMIT < DECISIVE

# A leaf is its value in hundredths, an inner node the list of its children.
Nested = int | list["Nested"]


class Tree:
    """The nodes of a tree in breadth-first order, so that the children of a node are adjacent.

    :ivar first_child, child_count: the index of each node's first child, and the number of children, 0 for a leaf.
    :ivar height: plies from each node to the deepest leaf below it.
    :ivar value: the value of each leaf, and the mean of the leaves below each inner node, in hundredths, from the first
        player's point of view.
    :ivar hashes: a 64-bit hash of the subtree below each node, so that equal subtrees share table entries.
    """

    def __init__(self, nested: Nested) -> None:
        nodes: list[Nested] = [nested]
        self.first_child = array("i")
        self.child_count = array("i")
        for each in nodes:  # the list grows during the loop
            below = each if isinstance(each, list) else []
            self.first_child.append(len(nodes))
            self.child_count.append(len(below))
            nodes += below
        size = len(nodes)
        self.height = array("i", [0]) * size
        self.value = array("i", [0]) * size
        self.hashes = array("Q", [0]) * size
        leaves, total = [1] * size, [0] * size
        for node in range(size - 1, -1, -1):
            children = range(self.first_child[node], self.first_child[node] + self.child_count[node])
            if children:
                leaves[node] = sum(leaves[child] for child in children)
                total[node] = sum(total[child] for child in children)
                self.height[node] = 1 + max(self.height[child] for child in children)
                self.hashes[node] = combined([self.hashes[child] for child in children])
            else:
                total[node] = leaf_value(nodes[node])
                self.hashes[node] = mixed(total[node] & FULL)
            self.value[node] = round(total[node] / leaves[node])

    def nested(self, node: int = 0) -> Nested:
        """Return the subtree below ``node`` as nested lists."""
        first, count = self.first_child[node], self.child_count[node]
        return [self.nested(child) for child in range(first, first + count)] if count else self.value[node]

    @property
    def leaves(self) -> int:
        """The number of leaves."""
        return sum(1 for count in self.child_count if count == 0)


def leaf_value(node: Nested) -> int:
    """Return the value of ``node``, which must be a leaf, in hundredths of a point."""
    assert isinstance(node, int)
    return node


def combined(hashes: Sequence[int]) -> int:
    """Combine the hashes of a node's children, in order."""
    state = 0xB0A7
    for each in hashes:
        state = mixed((state * GOLDEN + each) & FULL)
    return state


class TreePosition(Position):
    """A node of a tree, with the path to it.

    :param tree: the tree, which is immutable and shared by its positions.
    :param node: the initial node.
    :param side: 0 if the maximising player is to move, 1 if the minimising player is.
    :ivar evaluated: number of leaves and nodes at the horizon evaluated since the position was set up.
    """

    path: list[int]

    def __init__(self, tree: Tree, node: cython.int, side: cython.int) -> None:
        super().__init__()
        self.tree = tree
        self.first_child = tree.first_child
        self.child_count = tree.child_count
        self.height = tree.height
        self.value = tree.value
        self.hashes = tree.hashes
        self.path[0] = node
        self.first_side = side
        self.evaluated = 0
        self.key = self.key_here()

    def key_here(self) -> cython.ulonglong:
        """Return the key of the current node."""
        own: cython.ulonglong = self.hashes[self.path[self.ply]]
        return own ^ SIDE_KEY if (self.first_side + self.ply) & 1 else own

    def value_here(self) -> cython.int:
        """Return the node's value from the side to move's point of view, and count the call."""
        self.evaluated += 1
        own: cython.int = self.value[self.path[self.ply]]
        return -own if (self.first_side + self.ply) & 1 else own

    def generate(self, moves: cython.p_int, start: cython.int) -> cython.int:
        count: cython.int = self.child_count[self.path[self.ply]]
        i: cython.int
        for i in range(count):
            moves[start + i] = i
        return count

    def make(self, move: cython.int) -> None:
        child: cython.int = self.first_child[self.path[self.ply]] + move
        self.ply += 1
        self.path[self.ply] = child
        self.key = self.key_here()

    def unmake(self) -> None:
        self.ply -= 1
        self.key = self.key_here()

    def evaluate(self) -> cython.int:
        return self.value_here()

    def final_score(self) -> cython.int:
        return self.value_here()

    def remaining(self) -> cython.int:
        return self.height[self.path[self.ply]]

    @property
    def node(self) -> int:
        """The number of the node in its tree."""
        return self.path[self.ply]

    def copy(self) -> TreePosition:
        return TreePosition(self.tree, self.node, self.side_to_move)


def uniform_tree(branching: int, depth: int, seed: int = 1, order: str = "random") -> Tree:
    """Return a tree in which each inner node has ``branching`` children and all leaves are at depth ``depth``.

    The same seed gives the same values in each order. The values are drawn by SplitMix64 (Steele 2014), which is easy
    to reproduce in other languages: leaf n from the left, counted from 0, is output n of the generator seeded with
    ``seed``, modulo :data:`CHOICES`, minus the largest value.

    :param order: the order of the children of each node: as drawn, best for the mover first, or worst first.
    """
    steps = range(seed, seed + GOLDEN * branching**depth, GOLDEN)
    leaves = (mixed(state & FULL) % CHOICES - 100 * VALUE_LIMIT for state in steps)

    def grow(height: int, sign: int) -> tuple[Nested, int]:
        if height == 0:
            value = next(leaves)
            return value, value
        children = [grow(height - 1, -sign) for _ in range(branching)]
        best = max(value * sign for _, value in children) * sign
        if order != "random":
            children.sort(key=lambda child: child[1] * sign, reverse=order == "perfect")
        return [child for child, _ in children], best

    return Tree(grow(depth, 1)[0])


def format_value(value: int) -> str:
    """Format hundredths as points, without trailing zeros."""
    return f"{value / 100:.2f}".rstrip("0").rstrip(".")
