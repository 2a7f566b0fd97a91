"""What the order of the moves is worth."""

from __future__ import annotations

import math

import click

from quietmove.engine.protocol.describe import short_score
from quietmove.engine.tools.lab.experiment import experiment
from quietmove.engine.tools.lab.report import Column, Figure, Report
from quietmove.engine.tools.lab.work import deepen, search_once, start_position
from quietmove.engine.values import Settings

__all__ = ["command", "measure"]

ORDERS = (("natural", "none"), ("centre first", "static"), ("best first", "table"))


def measure(game: str = "connect", depth: int = 6) -> Report:
    """Orders of moves: the same value, falling node counts.

    Compared are natural order, centre first and best first.
    """
    whole = search_once(start_position(game), depth, Settings("minimax", "none"))
    rows = [("minimax", short_score(whole.value), whole.nodes, branching(whole.nodes, whole.depth))]
    for name, ordering in ORDERS:
        megabytes = 16 if ordering == "table" else 0
        found = deepen(start_position(game), depth, Settings("alphabeta", ordering), megabytes)[-1]
        rows.append((name, short_score(found.value), found.nodes, branching(found.nodes, found.depth)))
    return Report(
        "ordering",
        f"{game} at depth {whole.depth}: the order of the moves decides what alpha-beta saves",
        (Column("order"), Column("value"), Column("nodes", ",d"), Column("branching factor", ".2f")),
        tuple(rows),
        (Figure("order", ("nodes",), "nodes", "order of the moves", style="bars"),),
        (
            "The branching factor is that of a tree with as many nodes; a perfect order brings it down to about its",
            f"square root, {math.sqrt(rows[0][3]):.2f}. Best first needs the table, which answers some nodes itself.",
        ),
    )


def branching(nodes: int, depth: int) -> float:
    """Return the effective branching factor: the root that as many multiplications as plies bring to ``nodes``."""
    return round(math.pow(nodes, 1 / depth), 4)


command = experiment(
    "ordering",
    measure,
    click.option("--game", default="connect", show_default=True, help="The game, from its start."),
    click.option("--depth", type=click.IntRange(1), default=6, show_default=True, metavar="N", help="Plies."),
)
