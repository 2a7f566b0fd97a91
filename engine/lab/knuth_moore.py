"""Knuth and Moore's theorem (1975): how many leaves alpha-beta must look at, and how many it does in other orders."""

from __future__ import annotations

from collections.abc import Sequence

import click

from quietmove.engine.games.tree import LEAF_LIMIT, TreePosition, uniform_tree
from quietmove.engine.lab.command import experiment
from quietmove.engine.lab.report import Cell, Column, Figure, Report
from quietmove.engine.lab.work import search_once
from quietmove.engine.values import Settings

__all__ = ["command", "least_leaves", "measure"]

SIZES = ((2, 4), (2, 8), (2, 12), (3, 4), (3, 6), (3, 8), (4, 4), (4, 6), (5, 5), (8, 4), (30, 3))


def least_leaves(branching: int, depth: int) -> int:
    """Return the leaves that any search must look at to prove a value: those of the two best strategies."""
    low, high = depth // 2, depth - depth // 2
    return int(branching**high + branching**low - 1)


def measure(seed: int = 1, size: Sequence[tuple[int, int]] = ()) -> Report:
    """Leaves of uniform trees looked at in worst, random and perfect order."""
    rows: list[tuple[Cell, ...]] = []
    for branching, depth in size or SIZES:
        leaves = branching**depth
        if leaves > LEAF_LIMIT:
            raise click.UsageError(f"--size: at most {LEAF_LIMIT} leaves are allowed; {branching} {depth} has {leaves}")
        worst, drawn, perfect = (examined(branching, depth, seed, order) for order in ("worst", "random", "perfect"))
        rows.append(
            (
                f"{branching}^{depth}",
                leaves,
                worst,
                drawn,
                round(branching ** (0.75 * depth)),
                perfect,
                least_leaves(branching, depth),
            )
        )
    return Report(
        "knuth-moore",
        "Leaves that alpha-beta looks at in uniform trees: b children a node, d plies deep",
        (
            Column("b^d"),
            Column("all leaves", ",d"),
            Column("worst order", ",d"),
            Column("random order", ",d"),
            Column("b^(3d/4)", ",d"),
            Column("perfect order", ",d"),
            Column("b^⌈d/2⌉+b^⌊d/2⌋-1", ",d"),
        ),
        tuple(rows),
        Figure("b^d", ("all leaves", "worst order", "random order", "b^(3d/4)", "perfect order"), "leaves"),
        (
            "Perfect order: each node's best child first. It needs exactly the number of the last column.",
            "Worst order: each node's best child last. b^(3d/4) is the rule of thumb for random order.",
        ),
        {"seed": seed},
    )


def examined(branching: int, depth: int, seed: int, order: str) -> int:
    """Return the leaves that alpha-beta looks at in one tree."""
    position = TreePosition(uniform_tree(branching, depth, seed, order), 0, 0)
    search_once(position, depth, Settings("alphabeta", "static"))
    return position.evaluated


command = experiment(
    "knuth-moore",
    measure,
    click.option("--seed", type=click.IntRange(0), default=1, show_default=True, help="Of the leaves' values."),
    click.option(
        "--size",
        type=(click.IntRange(1, 64), click.IntRange(1, 40)),
        multiple=True,
        metavar="B D",
        help="Children a node and plies; may be given more than once.  [default: a selection]",
    ),
)
