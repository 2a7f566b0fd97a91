"""What each technique saves, on a game that can be searched whole."""

from __future__ import annotations

from statistics import median

import click

from quietmove.engine.protocol.describe import short_score
from quietmove.engine.search.node import MAX_DEPTH
from quietmove.engine.tools.lab.experiment import experiment
from quietmove.engine.tools.lab.report import Cell, Column, Figure, Report
from quietmove.engine.tools.lab.work import search_once, start_position
from quietmove.engine.values import Settings

__all__ = ["command", "measure"]

MEGABYTES = 1
STEPS = (
    ("minimax", Settings("minimax", "none"), 0),
    ("alpha-beta", Settings("alphabeta", "none"), 0),
    ("+ table", Settings("alphabeta", "table"), MEGABYTES),
    ("+ PVS", Settings("pvs", "table"), MEGABYTES),
)


def measure(game: str = "tictactoe", depth: int = MAX_DEPTH, runs: int = 5) -> Report:
    """Value, nodes, seconds of minimax, alpha-beta, table, PVS."""
    rows: list[tuple[Cell, ...]] = []
    for name, settings, megabytes in STEPS:
        found = [search_once(start_position(game), depth, settings, megabytes) for _ in range(runs)]
        seconds = [run.seconds for run in found]
        times = (round(statistic(seconds), 6) for statistic in (median, min, max))
        rows.append((name, short_score(found[0].value), found[0].nodes, *times))
    return Report(
        "pruning",
        f"{game} from its start: the same value from ever fewer nodes",
        (
            Column("technique"),
            Column("value"),
            Column("nodes", ",d"),
            Column("seconds", ".4f"),
            Column("fastest", ".4f"),
            Column("slowest", ".4f"),
        ),
        tuple(rows),
        (
            Figure("technique", ("nodes",), "nodes", style="bars"),
            Figure("technique", ("seconds",), "time (s)", style="bars", log=False),
        ),
        (
            "A node is one move made. Each line adds one technique to the line above; none of them changes the value.",
            f"Seconds are the median of {runs} runs, beside the fastest and the slowest; value and nodes never differ.",
        ),
    )


command = experiment(
    "pruning",
    measure,
    click.option("--game", default="tictactoe", show_default=True, help="The game, from its start."),
    click.option(
        "--depth", type=click.IntRange(1), default=MAX_DEPTH, metavar="N", help="Plies.  [default: to the end]"
    ),
    click.option(
        "--runs", type=click.IntRange(1, 1000), default=5, show_default=True, metavar="N", help="Of each technique."
    ),
)
