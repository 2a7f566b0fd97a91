"""What each technique saves, on a game that can be searched whole."""

from __future__ import annotations

import click

from quietmove.engine.lab.command import experiment
from quietmove.engine.lab.report import Cell, Column, Figure, Report
from quietmove.engine.lab.work import search_once, show_score, start_position
from quietmove.engine.search.node import MAX_DEPTH
from quietmove.engine.values import Settings

__all__ = ["command", "measure"]

TUTORIAL = {"minimax": "4.57-5.34", "alpha-beta": "0.16-0.2"}  # seconds, a published tutorial's, plain Python
MEGABYTES = 1
STEPS = (
    ("minimax", Settings("minimax", "none"), 0),
    ("alpha-beta", Settings("alphabeta", "none"), 0),
    ("+ table", Settings("alphabeta", "table"), MEGABYTES),
    ("+ PVS", Settings("pvs", "table"), MEGABYTES),
)


def measure(game: str = "tictactoe", depth: int = MAX_DEPTH) -> Report:
    """Value, nodes and seconds of minimax, alpha-beta, + table, + PVS."""
    rows: list[tuple[Cell, ...]] = []
    for name, settings, megabytes in STEPS:
        found = search_once(start_position(game), depth, settings, megabytes)
        quoted = TUTORIAL.get(name) if game == "tictactoe" and depth == MAX_DEPTH else None
        rows.append((name, show_score(found.value), found.nodes, round(found.seconds, 6), quoted))
    return Report(
        "pruning",
        f"{game} from its start: the same value from ever fewer nodes",
        (
            Column("technique"),
            Column("value"),
            Column("nodes", ",d"),
            Column("seconds", ".4f"),
            Column("tutorial's seconds"),
        ),
        tuple(rows),
        Figure("technique", ("nodes",), "nodes"),
        (
            "A node is one move made. Each line adds one technique to the line above; none of them changes the value.",
            "The tutorial's seconds are those of a published Python program for the first two techniques.",
        ),
        {"game": game, "depth": depth},
    )


command = experiment(
    "pruning",
    measure,
    click.option("--game", default="tictactoe", show_default=True, help="The game, from its start."),
    click.option("--depth", type=click.IntRange(1), default=MAX_DEPTH, help="Plies.  [default: to the end]"),
)
