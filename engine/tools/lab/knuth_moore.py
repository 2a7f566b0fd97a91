"""Knuth and Moore's theorem (1975): the fewest leaves alpha-beta looks at, and how many it does in other orders."""

from __future__ import annotations

from collections.abc import Sequence

import click

from quietmove.engine.games.tree.game import LEAF_LIMIT
from quietmove.engine.games.tree.nodes import TreePosition, uniform_tree
from quietmove.engine.tools.lab.experiment import experiment
from quietmove.engine.tools.lab.report import Cell, Column, Figure, Report
from quietmove.engine.tools.lab.work import search_once
from quietmove.engine.values import Settings

__all__ = ["command", "least_leaves", "measure"]

SIZES = ((2, 8), (2, 12), (3, 8), (4, 6), (5, 5), (8, 4), (30, 3))
ORDERS = ("worst", "random", "perfect")
THEOREM = "b^⌈d/2⌉+b^⌊d/2⌋-1"
COMPUTED = ("all leaves", "b^(3d/4)", THEOREM, "b^(d/2)")


def least_leaves(branching: int, depth: int) -> int:
    """Return the leaves that any search must look at to prove a value: those of the two best strategies."""
    low, high = depth // 2, depth - depth // 2
    return int(branching**high + branching**low - 1)


def measure(seed: int = 1, seeds: int = 3, size: Sequence[tuple[int, int]] = ()) -> Report:
    """Leaves of uniform trees in worst, random, perfect order."""
    sizes = size or SIZES
    for branching, depth in sizes:
        if (leaves := branching**depth) > LEAF_LIMIT:
            raise click.UsageError(f"--size: must have at most {LEAF_LIMIT} leaves, not {leaves}")
    return Report(
        "knuth-moore",
        "Leaves that alpha-beta looks at in uniform trees: b children per node, d plies deep",
        (
            Column("b^d"),
            Column("seed", "d"),
            Column("value", ".2f"),
            Column("all leaves", ",d"),
            Column("worst order", ",d"),
            Column("random order", ",d"),
            Column("b^(3d/4)", ",d"),
            Column("perfect order", ",d"),
            Column(THEOREM, ",d"),
            Column("b^(d/2)", ",d"),
        ),
        tuple(row(*each, drawn) for each in sizes for drawn in range(seed, seed + seeds)),
        (
            Figure(
                "b^d",
                (*COMPUTED, *(f"{order} order" for order in ORDERS)),
                "leaves looked at",
                "tree (b^d leaves), one point a seed",
                style="points",
                computed=COMPUTED,
            ),
        ),
        (
            f"Perfect order: the best child of each node first. It needs {THEOREM}, almost twice b^(d/2) if d is even.",
            "Worst order: each node's best child last. b^(3d/4) is the rule of thumb for random order.",
            "A seed draws the leaves' values; the three orders arrange one tree, so its value is the same in all.",
        ),
    )


def row(branching: int, depth: int, seed: int) -> tuple[Cell, ...]:
    """Return the figures of the tree that a seed draws."""
    (value, worst), (_, drawn), (_, perfect) = (examined(branching, depth, seed, order) for order in ORDERS)
    rule, least, root = (round(branching ** (0.75 * depth)), least_leaves(branching, depth), branching ** (depth / 2))
    shown = (f"{branching}^{depth}", seed, value / 100)
    return (*shown, branching**depth, worst, drawn, rule, perfect, least, round(root))


def examined(branching: int, depth: int, seed: int, order: str) -> tuple[int, int]:
    """Return the value of one tree, and how many of its leaves alpha-beta looks at."""
    position = TreePosition(uniform_tree(branching, depth, seed, order), 0, 0)
    found = search_once(position, depth, Settings("alphabeta", "static"))
    return found.value, position.evaluated


command = experiment(
    "knuth-moore",
    measure,
    click.option(
        "--seed", type=click.IntRange(0), default=1, show_default=True, metavar="N", help="Of the first tree's leaves."
    ),
    click.option(
        "--seeds",
        type=click.IntRange(1, 100),
        default=3,
        show_default=True,
        metavar="N",
        help="How many, from --seed on.",
    ),
    click.option(
        "--size",
        type=(click.IntRange(1, 64), click.IntRange(1, 40)),
        multiple=True,
        metavar="B D",
        help="Children a node and plies; may be given more than once.  [default: a selection]",
    ),
)
