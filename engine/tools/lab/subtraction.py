"""The subtraction game by theory and by brute force: each heap with its Grundy value, and the period of the values."""

from __future__ import annotations

import click

from quietmove.command_help import number_option
from quietmove.engine.games.nim import MAX_TAKE
from quietmove.engine.games.subtraction import PERIOD_WITHIN, describe_values, read_takes
from quietmove.engine.search.grundy import heap_values
from quietmove.engine.tools.lab.experiment import experiment
from quietmove.engine.tools.lab.report import Cell, Figure, Report, columns

__all__ = ["command", "measure"]


def measure(heap: int = 20, takes: str = "3") -> Report:
    """Wins, Grundy values and their period, heap by heap."""
    allowed = read_takes(takes)
    if allowed is None:
        raise click.UsageError(
            f"--takes: must be the most that a move takes, 1 to {MAX_TAKE}, or all that it may take, such as 1,3,4, "
            f"not {takes!r}"
        )
    values = heap_values(PERIOD_WITHIN, lambda size: (size - take for take in allowed if take <= size))
    won: list[bool] = []
    rows: list[tuple[Cell, ...]] = []
    for size in range(heap + 1):
        possible = [take for take in allowed if take <= size]
        won.append(any(not won[size - take] for take in possible))
        winning = " ".join(str(take) for take in possible if values[size - take] == 0)
        rows.append((size, values[size], "win" if won[size] else "loss", winning))
    return Report(
        "subtraction",
        f"A heap, of which a move takes {takes if ',' in takes else f'1 to {takes}'}; who cannot move loses",
        columns("heap:d; Grundy:d; brute force; winning moves"),
        tuple(rows),
        (Figure("heap", ("Grundy",), "Grundy value", "heap (stones)", style="points", log=False),),
        (
            "A heap's Grundy value is the least that no move leads to; it loses exactly where that is 0.",
            *(f"{line[0].upper()}{line[1:]}." for line in describe_values(bytes(values), allowed)),
        ),
    )


command = experiment(
    "subtraction",
    measure,
    number_option("--heap", 20, "The largest heap.", 0, 1000),
    click.option("--takes", default="3", show_default=True, metavar="K|A,B,...", help="What a move takes."),
)
