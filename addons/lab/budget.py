"""Iterative deepening as an anytime algorithm: any budget yields the move of a completed iteration."""

from __future__ import annotations

from collections.abc import Sequence

from quietmove.addons.lab.experiment import experiment, numbers_option, position_option
from quietmove.addons.lab.searches import start_position
from quietmove.addons.shared.report import Cell, Figure, Report, columns
from quietmove.engine.games.registry import get_game
from quietmove.engine.protocol.describe import short_score
from quietmove.engine.search.deepening import Deepening
from quietmove.engine.search.table import Table
from quietmove.engine.shared_options import game_option
from quietmove.engine.tools.bench import finish
from quietmove.engine.values import Limits, SearchResult, Settings

BUDGETS = (10, 30, 100, 300, 1_000, 3_000, 10_000, 30_000, 100_000, 300_000, 1_000_000)
MEGABYTES = 16


def measure(game: str = "othello", position: str | None = None, nodes: Sequence[int] = ()) -> Report:
    """Depth and move for each node budget.

    The move always comes from the last completed iteration.
    """
    rules = get_game(game)
    end = start_position(game, position).moves_left()
    rows: list[tuple[Cell, ...]] = []
    for budget in nodes or BUDGETS:
        found = answer(game, position, Limits(nodes=budget))
        move = "" if found.move is None else rules.format_move(found.move)
        row: tuple[Cell, ...] = (budget, found.nodes, found.depth, move, "", 0, None)
        if found.score is not None:
            alone = answer(game, position, Limits(depth=found.depth))
            same = alone.score == found.score and (alone.move == found.move or found.depth == end)
            row = (*row[:4], short_score(found.score.value), alone.nodes, same)
        rows.append(row)
    notes = [
        "An iteration that the budget interrupts is discarded: the move and its value equal those of a search limited"
        " to the last completed depth. The first iteration always completes; it takes one node per legal move."
    ]
    if any(row[2] == end for row in rows):
        notes.append(
            f"Depth {end} is the end of the game. The search jumps to it once the budget is likely to suffice, skipping"
            " the depths in between. Exact results prune more than estimates, so this can take fewer nodes than those"
            " depths. If several moves are best, a search to that depth alone may find a different one."
        )
    return Report(
        "budget",
        f"{game}: iterative deepening under node budgets",
        columns("budget:,d; nodes used:,d; depth:d; move; value; nodes to that depth:,d; same as that depth alone"),
        rows,
        (Figure("budget", ("depth",), "depth reached (plies)", "budget (nodes)", log=False, log_x=True),),
        tuple(notes),
    )


def answer(game: str, position: str | None, limits: Limits) -> SearchResult:
    """Return the result of a search that starts with an empty transposition table."""
    return finish(Deepening(start_position(game, position), Table(MEGABYTES), Settings(), limits))


command = experiment(
    "budget", measure, game_option("othello", "The game."), position_option, numbers_option("--nodes", "Node budget")
)
