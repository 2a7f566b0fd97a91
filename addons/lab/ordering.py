"""The value of move ordering."""

from __future__ import annotations

import math
from statistics import mean

from quietmove.addons.lab import searches
from quietmove.addons.lab.experiment import depth_option, experiment, seed_option
from quietmove.addons.shared.report import Cell, Figure, Report, columns
from quietmove.engine.common.command_line import number_option
from quietmove.engine.common.progress import with_progress
from quietmove.engine.games.base import Position
from quietmove.engine.protocol.describe import short_score
from quietmove.engine.shared_options import game_option
from quietmove.engine.values import Settings

ORDERS = (("natural", "none"), ("centre first", "static"), ("best first", "table"))
OPENING_PLIES = (1, 8)  # range of the number of random moves before a position


def measure(game: str = "connect", depth: int | None = None, positions: int = 1, seed: int = 1) -> Report:
    """Move orderings: the same value, falling node counts.

    Compares natural order, centre first and best first, from the start or over many random positions.
    """
    roots = [searches.start_position(game)]
    if positions > 1:
        roots = searches.random_positions(game, positions, seed, OPENING_PLIES)
    plies = depth or searches.affordable_depth(roots)
    compared = list(with_progress((by_order(root, plies) for root in roots), len(roots), "positions"))
    fewest = [min(each.nodes for each in ways) for ways in compared]
    rows: list[tuple[Cell, ...]] = []
    for name, found in zip(("minimax", *(name for name, _ in ORDERS)), zip(*compared, strict=True), strict=True):
        same = sum(each.value == plain.value for each, (plain, *_) in zip(found, compared, strict=True))
        value = short_score(found[0].value) if positions == 1 else f"{same} of {len(roots)} right"
        nodes = round(mean(each.nodes for each in found))
        factor = round(mean(each.nodes ** (1 / each.depth) for each in found), 4)
        rows.append(
            (name, value, nodes, factor, sum(each.nodes == few for each, few in zip(found, fewest, strict=True)))
        )
    where = "" if positions == 1 else f", {len(roots)} random positions"
    deepest = max(minimax.depth for minimax, *_ in compared)
    return Report(
        "ordering",
        f"{game}{where} at depth {deepest}: move ordering decides what alpha-beta saves",
        columns("order; value; nodes:,d; branching factor:.2f; fewest in:d"),
        rows,
        (Figure("order", ("nodes",), "nodes", "order of the moves", style="bars"),),
        (
            "The branching factor is that of a uniform tree with as many nodes; a perfect order brings it down to about"
            f" its square root, {math.sqrt(float(rows[0][3] or 0)):.2f}. Best first needs the table, which also answers"
            " some nodes itself.",
            "Nodes and factors are means over the positions; 'fewest in' counts the positions where this order wins.",
            *searches.depth_note(roots, depth, plies),
        ),
    )


def by_order(root: Position, depth: int) -> list[searches.Iteration]:
    found = [searches.search_once(root, depth, Settings("minimax", "none"))]
    for _, ordering in ORDERS:
        megabytes = 16 if ordering == "table" else 0
        found.append(searches.deepen(root, depth, Settings("alphabeta", ordering), megabytes)[-1])
    return found


command = experiment(
    "ordering",
    measure,
    game_option("connect", "The game."),
    depth_option,
    number_option(
        "--positions", 1, "Number of random positions to use instead of the start, if more than 1.", high=10_000
    ),
    seed_option(),
)
