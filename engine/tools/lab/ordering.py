"""What the order of the moves is worth."""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import mean

from quietmove.command_help import game_option, number_option
from quietmove.engine.games.base import Position
from quietmove.engine.protocol.describe import short_score
from quietmove.engine.tools.lab.experiment import depth_option, experiment
from quietmove.engine.tools.lab.report import Cell, Figure, Report, columns
from quietmove.engine.tools.lab.work import (
    Iteration,
    affordable_depth,
    deepen,
    depth_note,
    random_positions,
    search_once,
    start_position,
)
from quietmove.engine.tools.progress import with_progress
from quietmove.engine.values import Settings

__all__ = ["command", "measure"]

ORDERS = (("natural", "none"), ("centre first", "static"), ("best first", "table"))
LONGEST_OPENING = 8  # random moves before a position, at most


def measure(game: str = "connect", depth: int | None = None, positions: int = 1, seed: int = 1) -> Report:
    """Orders of moves: the same value, falling node counts.

    Compared are natural order, centre first and best first, from the start or over many random positions.
    """
    roots = [start_position(game)] if positions == 1 else random_positions(game, positions, seed, LONGEST_OPENING)
    plies = depth or affordable_depth(*roots)
    compared = list(with_progress((by_order(root, plies) for root in roots), len(roots), "positions"))
    rows: list[tuple[Cell, ...]] = []
    for name, found in zip(("minimax", *(name for name, _ in ORDERS)), zip(*compared, strict=True), strict=True):
        same = sum(each.value == plain.value for each, (plain, *_) in zip(found, compared, strict=True))
        value = short_score(found[0].value) if positions == 1 else f"{same} of {len(roots)} right"
        fewest = sum(each.nodes == min(way.nodes for way in ways) for each, ways in zip(found, compared, strict=True))
        rows.append((name, value, *averages(found), fewest))
    where = "" if positions == 1 else f", {len(roots)} random positions"
    deepest = max(minimax.depth for minimax, *_ in compared)
    factor = math.sqrt(float(rows[0][3] or 0))
    return Report(
        "ordering",
        f"{game}{where} at depth {deepest}: the order of the moves decides what alpha-beta saves",
        columns("order; value; nodes:,d; branching factor:.2f; fewest in:d"),
        tuple(rows),
        (Figure("order", ("nodes",), "nodes", "order of the moves", style="bars"),),
        (
            "The branching factor is that of a tree with as many nodes; a perfect order brings it down to about its",
            f"square root, {factor:.2f}. Best first needs the table, which answers some nodes itself.",
            "Nodes and factors are means over the positions; fewest in: how many took this order the fewest nodes.",
            *depth_note(roots, depth, plies),
        ),
    )


def by_order(root: Position, depth: int) -> list[Iteration]:
    """Return the last iteration of minimax, and of alpha-beta with each order."""
    found = [search_once(root, depth, Settings("minimax", "none"))]
    for _, ordering in ORDERS:
        found.append(deepen(root, depth, Settings("alphabeta", ordering), 16 if ordering == "table" else 0)[-1])
    return found


def averages(found: Sequence[Iteration]) -> tuple[int, float]:
    """Return the mean of the nodes, and of the branching factors: the root that the depth brings to the nodes."""
    return round(mean(each.nodes for each in found)), round(mean(each.nodes ** (1 / each.depth) for each in found), 4)


command = experiment(
    "ordering",
    measure,
    game_option("connect", "The game."),
    depth_option,
    number_option("--positions", 1, "So many random positions instead of the start, if more than 1.", high=10_000),
    number_option("--seed", 1, "Of the random moves.", 0),
)
