"""What the transposition table is worth, iteration by iteration."""

from __future__ import annotations

import click

from quietmove.engine.tools.lab.comparison import Explained, columns, compare, figure
from quietmove.engine.tools.lab.experiment import experiment
from quietmove.engine.tools.lab.report import Report
from quietmove.engine.tools.lab.work import deepen, start_position
from quietmove.engine.values import Settings

__all__ = ["command", "measure"]

WAYS = ("nodes without", "nodes with")
HITS = Explained("look-ups", "hits", "hit rate %", lambda found: (found.probes, found.hits))


def measure(game: str = "othello", depth: int = 8, megabytes: int = 16) -> Report:
    """Nodes per iteration with and without the table.

    Of the transposition table the hit rate is given too.
    """
    without, helped = (
        deepen(start_position(game), depth, Settings("alphabeta", "table"), memory) for memory in (0, megabytes)
    )
    return Report(
        "table",
        f"{game} from its start: what {megabytes} MB of memory save alpha-beta",
        columns(WAYS, HITS),
        compare(without, helped, HITS),
        (figure(WAYS),),
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
