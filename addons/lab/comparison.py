"""Two ways to search, iteration by iteration: what the table saves, and what null windows save."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import click

from quietmove.addons.lab.experiment import experiment
from quietmove.addons.lab.searches import Iteration, deepen, saved, share, start_position
from quietmove.engine.common.command_line import number_option
from quietmove.engine.protocol.describe import short_score
from quietmove.engine.search.ordering import ORDERINGS
from quietmove.engine.shared_options import game_option
from quietmove.engine.tools.report import Cell, Column, Figure, Report
from quietmove.engine.values import Settings

SPECS = ("d", "", ",d", ",d", ".1f", ",d", ",d", ".1f")  # the formats of the columns, in their order


def compare(
    ways: Sequence[Sequence[Iteration]], names: Sequence[str], count: Callable[[Iteration], tuple[int, int]]
) -> tuple[tuple[Column, ...], list[tuple[Cell, ...]], tuple[Figure, ...]]:
    """Return the columns, one row for each depth, and the diagrams of both node counts and of the shares.

    :param ways: the iterations of either way.
    :param names: of the node counts of both ways; of what the second way tries, of its successes, and of their share.
    :param count: returns tries and successes of an iteration.
    """
    columns = tuple(map(Column, ("depth", "value", *names[:2], "saved %", *names[2:]), SPECS))
    rows: list[tuple[Cell, ...]] = []
    for before, after in zip(*ways, strict=True):
        tries, successes = count(after)
        nodes = (before.nodes, after.nodes, saved(after.nodes, before.nodes))
        rows.append(
            (after.depth, short_score(after.value), *nodes, tries, successes, round(share(successes, tries), 2))
        )
    counts = Figure("depth", tuple(names[:2]), "nodes of the iteration", "depth (plies)")
    shares = Figure("depth", ("saved %", names[-1]), "percent", "depth (plies)", log=False)
    return columns, rows, (counts, shares)


def measure_table(game: str = "othello", depth: int = 8, megabytes: int = 16) -> Report:
    """Nodes per iteration with and without the table.

    Of the transposition table the hit rate is given too.
    """
    settings = Settings("alphabeta", "table")
    ways = [deepen(start_position(game), depth, settings, memory) for memory in (0, megabytes)]
    names = ("nodes without", "nodes with", "look-ups", "hits", "hit rate %")
    return Report(
        "table",
        f"{game} from its start: what {megabytes} MB of memory save alpha-beta",
        *compare(ways, names, lambda found: (found.probes, found.hits)),
        (
            "A hit is a position that was met before, by another order of moves or in an earlier iteration. It answers"
            " at once where it was searched to the same depth, and else names a good move to try first.",
        ),
    )


def measure_pvs(game: str = "othello", depth: int = 9, ordering: str = "full", megabytes: int = 16) -> Report:
    """Null-window searches, re-searches and the nodes they save."""
    ways, totals = {}, {}
    for each in ORDERINGS:
        ways[each] = [
            deepen(start_position(game), depth, Settings(way, each), megabytes) for way in ("alphabeta", "pvs")
        ]
        totals[each] = [sum(found.nodes for found in way) for way in ways[each]]
    rates = {name: saved(pvs, plain) for name, (plain, pvs) in totals.items()}
    listed = ", ".join(f"{name} {rate:.1f} % ({totals[name][1]:,})" for name, rate in rates.items())
    names = ("alpha-beta nodes", "PVS nodes", "null windows", "re-searches", "searched again %")
    return Report(
        "pvs",
        f"{game} from its start, ordering {ordering}: what null windows save",
        *compare(ways[ordering], names, lambda found: (found.null_windows, found.researches)),
        (
            "A null window only tests whether a move is better than the best so far. Where it is, the move is searched"
            " again to learn by how much: the better the order, the rarer that is.",
            "What is searched again comes on top of its null window. So PVS costs nodes where the order is often wrong,"
            " or the tree so small that its few null windows save less than one search again takes.",
            f"Saved over all depths, and PVS nodes: {listed}; most with ordering {max(rates, key=rates.__getitem__)}.",
        ),
    )


table = experiment(
    "table",
    measure_table,
    game_option("othello"),
    number_option("--depth", 8, "Plies of the last iteration."),
    number_option("--megabytes", 16, "The size of the table.", high=1024),
)

pvs = experiment(
    "pvs",
    measure_pvs,
    game_option("othello"),
    number_option("--depth", 9, "Plies of the last iteration."),
    click.option("--ordering", type=click.Choice(ORDERINGS), default="full", show_default=True, help="Of the moves."),
    number_option("--megabytes", 16, "The size of the table.", 0, 1024),
)
