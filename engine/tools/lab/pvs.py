"""Principal variation search against alpha-beta: null windows, and the re-searches they cost."""

from __future__ import annotations

import click

from quietmove.engine.search.ordering import ORDERINGS
from quietmove.engine.tools.lab.comparison import Explained, columns, compare, figure
from quietmove.engine.tools.lab.experiment import experiment
from quietmove.engine.tools.lab.report import Report
from quietmove.engine.tools.lab.work import deepen, start_position
from quietmove.engine.values import Settings

__all__ = ["command", "measure"]

WAYS = ("alpha-beta nodes", "PVS nodes")
RESEARCHES = Explained(
    "null windows", "re-searches", "searched again %", lambda found: (found.null_windows, found.researches)
)


def measure(game: str = "othello", depth: int = 9, ordering: str = "full", megabytes: int = 16) -> Report:
    """Null-window searches, re-searches and the nodes they save."""
    plain, pvs = (
        deepen(start_position(game), depth, Settings(algorithm, ordering), megabytes)
        for algorithm in ("alphabeta", "pvs")
    )
    return Report(
        "pvs",
        f"{game} from its start, ordering {ordering}: what null windows save",
        columns(WAYS, RESEARCHES),
        compare(plain, pvs, RESEARCHES),
        (figure(WAYS),),
        (
            "A null window only tests whether a move is better than the best so far. Where it is, the move is searched"
            " again to learn by how much: the better the order, the rarer that is.",
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
