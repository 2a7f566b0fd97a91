"""``quietmove train check``: verify a file of positions, games or weights, and summarise its contents."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click
import numpy as np

from quietmove.addons.shared.report import Cell, columns, table_lines
from quietmove.addons.train.fit import PHASES, in_phase, phase_bounds
from quietmove.addons.train.positions import (
    EXACT,
    NO_RESULT,
    NO_VALUE,
    Records,
    empties_of,
    read_source,
    static_values,
)
from quietmove.engine.common.command_line import examples
from quietmove.engine.errors import TrainingError
from quietmove.engine.files import refuse_special
from quietmove.engine.games.othello.evaluators import make_evaluator
from quietmove.engine.games.othello.evaluators.network_weights import is_network


@click.command(
    epilog=examples(
        "quietmove train check my.weights", "quietmove train check labelled.pos --error --weights my.weights"
    ),
)
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--error", is_flag=True, help="Compare the static evaluation with the values of the positions in FILE.")
@click.option(
    "--weights",
    type=click.Path(path_type=Path),
    metavar="WEIGHTS",
    help="Weights of a network for --error to compare.  [default: the shipped weights]",
)
def check(file: Path, error: bool, weights: Path | None) -> None:
    """Read and verify FILE, and print a summary.

    FILE contains positions, games (.wtb, .ggf, .txt or .jsonl), or weights. With --error, prints each evaluation's mean
    absolute error per phase, in discs, compared with the positions' values, or with their games' results if they have
    no values.
    """
    if weights is not None and not error:
        raise click.UsageError("--weights needs --error")
    refuse_special(file, TrainingError, "train: ")
    if is_network(str(file)):
        if error:
            raise click.UsageError("--error: FILE must contain positions or games, not weights")
        make_evaluator("network", str(file))
        size = f"{file.stat().st_size:,} bytes"
        click.echo(f"{file}: weights of the network evaluation, {size}; all checksums match")
        return
    evaluators = [("network", str(weights or "")), ("classic", "")]
    if weights is not None:
        refuse_special(weights, TrainingError, "train: ")
        make_evaluator("network", str(weights))
    records = read_source(file)
    click.echo(f"{file}: {len(records):,} positions of {len(np.unique(records['game'])):,} games; file intact")
    heads = columns("phase; empties; positions:,d; values:,d; exact:,d; results:,d")
    click.echo("\n".join(table_lines(heads, contents(records))))
    if error:
        click.echo("mean absolute error in discs:")
        heads = columns("phase; positions:,d; " + "; ".join(f"{name}:.2f" for name, _ in evaluators))
        click.echo("\n".join(table_lines(heads, errors_by_phase(records, evaluators))))


def contents(records: Records) -> list[tuple[Cell, ...]]:
    """Return one row per phase: the number of positions, and how many have a value, an exact value and a result."""
    rows: list[tuple[Cell, ...]] = []
    empties = empties_of(records)
    for phase in range(PHASES):
        fewest, most = phase_bounds(phase)
        part = records[in_phase(empties, phase)]
        counts = (part["value"] != NO_VALUE, (part["flags"] & EXACT) != 0, part["result"] != NO_RESULT)
        rows.append((phase, f"{fewest}-{most}", len(part), *(int(each.sum()) for each in counts)))
    return rows


def errors_by_phase(records: Records, evaluators: Sequence[tuple[str, str]]) -> list[tuple[Cell, ...]]:
    """Return the number of positions and each evaluator's error: a row per phase with positions, and one for ``all``.

    The error is the mean absolute error in discs. A position is compared with its value, or with its result if it has
    no value; a position with neither is skipped.

    :param evaluators: each evaluator's name and weights path, "" for the shipped weights.
    """
    chosen = records[(records["value"] != NO_VALUE) | (records["result"] != NO_RESULT)]
    truth = np.where(chosen["value"] != NO_VALUE, chosen["value"] / 100, chosen["result"])
    boards = chosen["own"], chosen["opp"]
    errors = [np.abs(static_values(*boards, *evaluator) - truth) for evaluator in evaluators]
    empties = empties_of(chosen)
    parts: list[tuple[Cell, Any]] = [(phase, in_phase(empties, phase)) for phase in range(PHASES)]
    parts.append(("all", empties >= 0))
    return [
        (name, int(part.sum()), *(float(each[part].mean()) for each in errors)) for name, part in parts if part.any()
    ]
