"""What the transposition table is worth, iteration by iteration."""

from __future__ import annotations

import click

from quietmove.engine.lab.command import experiment
from quietmove.engine.lab.report import Column, Figure, Report
from quietmove.engine.lab.work import deepen, share, show_score, start_position
from quietmove.engine.values import Settings

__all__ = ["command", "measure"]


def measure(game: str = "othello", depth: int = 8, megabytes: int = 16) -> Report:
    """Nodes with and without the transposition table, and its hit rate, per iteration."""
    settings = Settings("alphabeta", "table")
    without = deepen(start_position(game), depth, settings)
    with_table = deepen(start_position(game), depth, settings, megabytes)
    rows = tuple(
        (
            plain.depth,
            show_score(helped.value),
            plain.nodes,
            helped.nodes,
            round(100 - share(helped.nodes, plain.nodes), 2),
            helped.probes,
            helped.hits,
            round(share(helped.hits, helped.probes), 2),
        )
        for plain, helped in zip(without, with_table, strict=True)
    )
    return Report(
        "table",
        f"{game} from its start: what {megabytes} MB of memory save alpha-beta",
        (
            Column("depth", "d"),
            Column("value"),
            Column("nodes without", ",d"),
            Column("nodes with", ",d"),
            Column("saved %", ".1f"),
            Column("look-ups", ",d"),
            Column("hits", ",d"),
            Column("hit rate %", ".1f"),
        ),
        rows,
        Figure("depth", ("nodes without", "nodes with"), "nodes of the iteration"),
        (
            "A hit is a position that was met before, by another order of moves or in an earlier iteration. It answers"
            " at once where it was searched to the same depth, and else names a good move to try first.",
        ),
        {"game": game, "depth": depth, "megabytes": megabytes},
    )


command = experiment(
    "table",
    measure,
    click.option("--game", default="othello", show_default=True, help="The game, from its start."),
    click.option("--depth", type=click.IntRange(1), default=8, show_default=True, help="Plies of the last iteration."),
    click.option("--megabytes", type=click.IntRange(1, 1024), default=16, show_default=True, help="Of the table."),
)
