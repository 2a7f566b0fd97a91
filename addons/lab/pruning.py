"""Nodes saved by search techniques, in a whole game or to the depth that minimax reaches in about a second."""

from __future__ import annotations

from itertools import pairwise
from statistics import median

from quietmove.addons.lab.experiment import depth_option, experiment
from quietmove.addons.lab.searches import affordable_depth, depth_note, search_once, start_position
from quietmove.addons.shared.report import Cell, Figure, Report, columns
from quietmove.addons.shared.textbook import TextbookSearch
from quietmove.engine.common.command_line import number_option
from quietmove.engine.common.progress import with_progress
from quietmove.engine.games.base import WIN
from quietmove.engine.protocol.describe import short_score
from quietmove.engine.shared_options import game_option
from quietmove.engine.values import Settings

MEGABYTES = 1
STEPS = (
    ("minimax", Settings("minimax", "none"), 0),
    ("alpha-beta", Settings("alphabeta", "none"), 0),
    ("+ table", Settings("alphabeta", "table"), MEGABYTES),
    ("+ PVS", Settings("pvs", "table"), MEGABYTES),
)

DISTANCES = (
    "A textbook's alpha-beta counts a win as 1 at any distance; with the root, it visits {:,} positions. The engine"
    " prefers quicker wins, and skips positions in which no win can be quicker than one already found. The textbook's"
    " program is not timed."
)


def measure(game: str = "tictactoe", depth: int | None = None, runs: int = 5) -> Report:
    """Value, nodes and seconds of minimax, alpha-beta, table and PVS."""
    root = start_position(game)
    plies = depth or affordable_depth([root])
    searched = (search_once(root, plies, how, memory) for _, how, memory in STEPS for _ in range(runs))
    done = list(with_progress(searched, len(STEPS) * runs, "searches"))
    rows: list[tuple[Cell, ...]] = []
    for index, (name, *_) in enumerate(STEPS):
        found = done[index * runs : (index + 1) * runs]
        times = (round(statistic(run.seconds for run in found), 6) for statistic in (median, min, max))
        rows.append((name, short_score(found[0].value), found[0].nodes, *times))
    notes = []
    if root.largest_score == WIN:
        textbook = TextbookSearch(root)
        value = textbook.run(done[0].depth)
        rows[1:2] = [
            ("alpha-beta", short_score(value), textbook.nodes, None, None, None),
            ("+ distances", *rows[1][1:]),
        ]
        notes.append(DISTANCES.format(textbook.nodes + 1))
    nodes = [int(row[2] or 0) for row in rows]
    is_falling = all(after < before for before, after in pairwise(nodes))
    return Report(
        "pruning",
        f"{game} from its start at depth {done[0].depth}: the same value"
        + (" from ever fewer nodes" if is_falling else " each time, not always from fewer nodes"),
        columns("technique; value; nodes:,d; seconds:.4f; fastest:.4f; slowest:.4f"),
        rows,
        (
            Figure("technique", ("nodes",), "nodes", style="bars"),
            Figure("technique", ("seconds",), "time (s)", style="bars", log=False),
        ),
        (
            "A node is one move made. Each line adds one technique to the line above; none of them changes the value.",
            f"Seconds are the median of {runs} runs, with the fastest and slowest; values and nodes do not vary.",
            *notes,
            *depth_note([root], depth, plies),
        ),
    )


command = experiment(
    "pruning",
    measure,
    game_option("tictactoe"),
    depth_option,
    number_option("--runs", 5, "Runs per technique.", high=1000),
)
