"""Compare two searches iteration by iteration, to measure what the table and null windows save."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import click

from quietmove.addons.lab.experiment import experiment
from quietmove.addons.lab.searches import Iteration, deepen, saved, share, start_position
from quietmove.addons.shared.report import Cell, Column, Figure, Report
from quietmove.engine.common.command_line import number_option
from quietmove.engine.protocol.describe import short_score
from quietmove.engine.search.ordering import ORDERINGS
from quietmove.engine.shared_options import game_option
from quietmove.engine.values import Settings

SPECS = ("d", "", ",d", ",d", ".1f", ",d", ",d", ".1f")  # column formats, in order


def compare(
    ways: Sequence[Sequence[Iteration]], names: Sequence[str], count: Callable[[Iteration], tuple[int, int]]
) -> tuple[tuple[Column, ...], list[tuple[Cell, ...]], tuple[Figure, ...]]:
    """Return the columns, one row per depth, and two figures: node counts and percentages.

    :param ways: the iterations of the two searches.
    :param names: column names: nodes of the first and second search; tries, successes and success rate of the second.
    :param count: a function that returns the tries and successes in an iteration.
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

    Also shows the transposition table's hit rate.
    """
    settings = Settings("alphabeta", "table")
    ways = [deepen(start_position(game), depth, settings, memory) for memory in (0, megabytes)]
    names = ("nodes without", "nodes with", "look-ups", "hits", "hit rate %")
    return Report(
        "table",
        f"{game} from its start: what a {megabytes} MB table saves alpha-beta",
        *compare(ways, names, lambda found: (found.probes, found.hits)),
        (
            "A hit is a position seen before, by transposition or in an earlier iteration. If it was searched to the"
            " same depth, the table answers immediately; otherwise it suggests a good move to try first.",
        ),
    )


def measure_pvs(game: str = "othello", depth: int = 9, ordering: str = "full", megabytes: int = 16) -> Report:
    """Null-window searches, re-searches, and the nodes saved."""
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
            "A null window only tests whether a move is better than the best so far. If it is, the move is searched"
            " again to find out by how much; the better the move ordering, the rarer that is.",
            "A re-search comes on top of its null-window search. PVS therefore costs extra nodes if the ordering is"
            " often wrong, or if the tree is so small that its null windows save less than one re-search costs.",
            f"Saved over all depths (PVS nodes): {listed}; most with ordering {max(rates, key=rates.__getitem__)}.",
        ),
    )


table = experiment(
    "table",
    measure_table,
    game_option("othello"),
    number_option("--depth", 8, "Depth of the last iteration in plies."),
    number_option("--megabytes", 16, "Table size in MB.", high=1024),
)

pvs = experiment(
    "pvs",
    measure_pvs,
    game_option("othello"),
    number_option("--depth", 9, "Depth of the last iteration in plies."),
    click.option("--ordering", type=click.Choice(ORDERINGS), default="full", show_default=True, help="Move ordering."),
    number_option("--megabytes", 16, "Table size in MB.", 0, 1024),
)
