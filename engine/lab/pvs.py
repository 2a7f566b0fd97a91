"""Principal variation search against alpha-beta: cheap questions, and the few that must be asked again."""

from __future__ import annotations

import click

from quietmove.engine.lab.command import experiment
from quietmove.engine.lab.report import Column, Figure, Report
from quietmove.engine.lab.work import deepen, share, show_score, start_position
from quietmove.engine.search.ordering import ORDERINGS
from quietmove.engine.values import Settings

__all__ = ["command", "measure"]


def measure(game: str = "othello", depth: int = 9, ordering: str = "full", megabytes: int = 16) -> Report:
    """Null-window searches, re-searches and the nodes they save."""
    plain = deepen(start_position(game), depth, Settings("alphabeta", ordering), megabytes)
    pvs = deepen(start_position(game), depth, Settings("pvs", ordering), megabytes)
    rows = tuple(
        (
            wide.depth,
            show_score(narrow.value),
            wide.nodes,
            narrow.nodes,
            round(100 - share(narrow.nodes, wide.nodes), 2),
            narrow.null_windows,
            narrow.researches,
            round(share(narrow.researches, narrow.null_windows), 2),
        )
        for wide, narrow in zip(plain, pvs, strict=True)
    )
    return Report(
        "pvs",
        f"{game} from its start, ordering {ordering}: what null windows save",
        (
            Column("depth", "d"),
            Column("value"),
            Column("alpha-beta nodes", ",d"),
            Column("PVS nodes", ",d"),
            Column("saved %", ".1f"),
            Column("null windows", ",d"),
            Column("re-searches", ",d"),
            Column("asked again %", ".1f"),
        ),
        rows,
        Figure("depth", ("alpha-beta nodes", "PVS nodes"), "nodes of the iteration"),
        (
            "A null window only asks whether a move is better than the best so far. Where the answer is yes, the move"
            " is searched again to learn by how much: the better the order, the rarer that is.",
        ),
        {"game": game, "depth": depth, "ordering": ordering, "megabytes": megabytes},
    )


command = experiment(
    "pvs",
    measure,
    click.option("--game", default="othello", show_default=True, help="The game, from its start."),
    click.option("--depth", type=click.IntRange(1), default=9, show_default=True, help="Plies of the last iteration."),
    click.option("--ordering", type=click.Choice(ORDERINGS), default="full", show_default=True, help="Of the moves."),
    click.option("--megabytes", type=click.IntRange(0, 1024), default=16, show_default=True, help="Of the table."),
)
