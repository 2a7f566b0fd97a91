"""Knuth and Moore's theorem (1975): the minimum number of leaves that alpha-beta visits.

The experiment compares it with the number of leaves in random and in worst order.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import log

import click

from quietmove.addons.games.tree.game import LEAF_LIMIT
from quietmove.addons.games.tree.nodes import CHOICES, VALUE_LIMIT, TreePosition, uniform_tree
from quietmove.addons.lab.experiment import experiment, seed_option
from quietmove.addons.lab.searches import search_once
from quietmove.addons.shared.report import Cell, Figure, Report, columns
from quietmove.engine.common.command_line import number_option
from quietmove.engine.values import Settings

SIZES = ((2, 8), (2, 12), (3, 8), (4, 6), (5, 5), (8, 4), (30, 3))
ORDERS = ("worst", "random", "perfect")
THEOREM = "b^⌈d/2⌉+b^⌊d/2⌋-1"
COMPUTED = ("all leaves", "b^(3d/4)", THEOREM, "b^(d/2)")


def measure(seed: int = 1, seeds: int = 3, size: Sequence[tuple[int, int]] = ()) -> Report:
    """Leaves of uniform trees in worst, random and perfect order."""
    sizes = size or SIZES
    for branching, depth in sizes:
        if (leaves := branching**depth) > LEAF_LIMIT:
            raise click.UsageError(f"--size: must have at most {LEAF_LIMIT} leaves, not {leaves}")
    return Report(
        "knuth-moore",
        "Leaves visited by alpha-beta in uniform trees: b children per node, d plies deep",
        columns(
            "b^d; seed:d; value:.2f; all leaves:,d; worst order:,d; random order:,d; b^(3d/4):,d; perfect order:,d; "
            f"{THEOREM}:,d; b^(d/2):,d; √b:.2f; factor:.2f; deeper:.2f"
        ),
        [row(*each, drawn) for each in sizes for drawn in range(seed, seed + seeds)],
        (
            Figure(
                "b^d",
                (*COMPUTED, *(f"{order} order" for order in ORDERS)),
                "leaves visited",
                "tree (b^d leaves), one point per seed",
                style="points",
                computed=COMPUTED,
            ),
        ),
        (
            f"Perfect order: each node's best child first. It visits {THEOREM} leaves; by the theorem no proof of a"
            " value needs fewer. That is almost 2·b^(d/2) if d is even.",
            "Factor: the branching factor of a tree with as many leaves as perfect order visits; it approaches √b.",
            "Worst order: each node's best child last. b^(3d/4) is the rule of thumb for random order.",
            "Deeper: how many times deeper random order can search than minimax with the same leaves. By the rule of"
            " thumb it approaches 4/3 as trees get deeper; in perfect order it approaches 2.",
            "A seed determines the leaves' values; the three orders arrange the same tree, so its value is the same.",
            f"Unsorted, leaf n from the left (from 0) is worth (x mod {CHOICES}) - {100 * VALUE_LIMIT} hundredths,"
            " where x is output n of SplitMix64 started with the seed.",
        ),
    )


def row(branching: int, depth: int, seed: int) -> tuple[Cell, ...]:
    (value, worst), (_, drawn), (_, perfect) = (examined(branching, depth, seed, order) for order in ORDERS)
    least = branching ** (depth // 2) + branching ** (depth - depth // 2) - 1
    deeper = depth * log(branching) / log(drawn) if drawn > 1 else 1
    measured = (round(each, 4) for each in (branching**0.5, perfect ** (1 / depth), deeper))
    counts = (
        branching**depth,
        worst,
        drawn,
        round(branching ** (0.75 * depth)),
        perfect,
        least,
        round(branching ** (depth / 2)),
    )
    return (f"{branching}^{depth}", seed, value / 100, *counts, *measured)


def examined(branching: int, depth: int, seed: int, order: str) -> tuple[int, int]:
    """Return a tree's value and the number of leaves that alpha-beta visits."""
    position = TreePosition(uniform_tree(branching, depth, seed, order), 0, 0)
    found = search_once(position, depth, Settings("alphabeta", "static"))
    return found.value, position.evaluated


command = experiment(
    "knuth-moore",
    measure,
    seed_option("Seed of the first tree's leaves."),
    number_option("--seeds", 3, "Number of seeds, starting with --seed.", high=100),
    click.option(
        "--size",
        type=(click.IntRange(1, 64), click.IntRange(1, 40)),
        multiple=True,
        metavar="B D",
        help="Branching factor and depth in plies; may be repeated.  [default: a selection]",
    ),
)
