"""``quietmove train check``: whether a file of positions, of games or of weights is whole, and what it holds.

Of positions with values it also tells how far the static evaluation is from them, phase by phase.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click
import numpy as np

from quietmove.common.command_line import examples
from quietmove.engine.errors import TrainingError
from quietmove.engine.files import refuse_special
from quietmove.engine.games.othello.evaluators import chosen_evaluator, kind_of, make_evaluator
from quietmove.engine.games.othello.evaluators.weights import PHASES
from quietmove.engine.tools.training.fit import in_phase, phase_bounds
from quietmove.engine.tools.training.games import read_source
from quietmove.engine.tools.training.positions import EXACT, NO_RESULT, NO_VALUE, Records, empties_of, static_values

__all__ = ["check", "errors_by_phase"]


@click.command(
    epilog=examples(
        "quietmove train check my.weights", "quietmove train check labelled.pos --error --weights my.weights"
    ),
)
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--error", is_flag=True, help="Compare the static evaluation with the values of the positions of FILE.")
@click.option(
    "--weights",
    type=click.Path(path_type=Path),
    metavar="WEIGHTS",
    help="Of a network or of the learnt evaluation, which --error compares.  [default: those of the package]",
)
def check(file: Path, error: bool, weights: Path | None) -> None:
    """Read all of FILE, check it, and print what it holds.

    FILE is a file of positions, of games (.wtb, .ggf, .txt or .jsonl), or of weights. With --error, the mean absolute
    error of each evaluation is printed for each phase, in discs, against the values of the positions, or the results of
    their games where they have no values.
    """
    if weights is not None and not error:
        raise click.UsageError("--weights: must be given with --error, not alone")
    refuse_special(file, TrainingError, "train: ")
    if kind := kind_of(str(file)):
        if error:
            raise click.UsageError("--error: FILE must hold positions or games, not weights")
        make_evaluator(kind, str(file))
        size = f"{file.stat().st_size:,} bytes"
        click.echo(f"{file}: weights of the {kind} evaluation, {size}; every checksum is right")
        return
    if weights is not None:
        refuse_special(weights, TrainingError, "train: ")
        make_evaluator(chosen_evaluator("", str(weights), 8), str(weights))
    records = read_source(file)
    for line in contents(file, records):
        click.echo(line)
    if error:
        for line in errors(records, weights):
            click.echo(line)


def contents(file: Path, records: Records) -> list[str]:
    """Return the lines that say what a file of positions holds."""
    games = len(np.unique(records["game"]))
    lines = [f"{file}: {len(records):,} positions of {games:,} games; all of it is whole"]
    lines.append("phase  empties  positions     values      exact    results")
    empties = empties_of(records)
    for phase in range(PHASES):
        fewest, most = phase_bounds(phase)
        here = records[in_phase(empties, phase)]
        counts = (here["value"] != NO_VALUE, (here["flags"] & EXACT) != 0, here["result"] != NO_RESULT)
        numbers = "  ".join(f"{int(each.sum()):9,}" for each in counts)
        lines.append(f"{phase:5}  {fewest:3}-{most:<3}  {len(here):9,}  {numbers}")
    return lines


def errors(records: Records, weights: Path | None) -> list[str]:
    """Return the lines that compare evaluators."""
    learnt = [(kind_of(str(weights)), str(weights))] if weights is not None else [("network", ""), ("learnt", "")]
    evaluators = [*learnt, ("classic", "")]
    names = "  ".join(f"{name:>7}" for name, _ in evaluators)
    lines = [f"phase  positions  {names}   (mean absolute error, discs)"]
    for phase, count, *each in errors_by_phase(records, evaluators):
        lines.append(f"{phase:>5}  {count:9,}  {'  '.join(f'{error:7.2f}' for error in each)}")
    return lines


def errors_by_phase(
    records: Records, evaluators: Sequence[tuple[str, str]]
) -> list[tuple[object, int, *tuple[float, ...]]]:
    """Return a row for each phase that has positions, and for ``all``: how many, and each evaluator's error.

    An error is the mean absolute one, in discs.

    A position is compared with its value, or with its result where it has no value; with neither it is left out.

    :param evaluators: the name of each and the path of its weights, "" for those of the package.
    """
    known = (records["value"] != NO_VALUE) | (records["result"] != NO_RESULT)
    chosen = records[known]
    truth = np.where(chosen["value"] != NO_VALUE, chosen["value"] / 100, chosen["result"])
    boards = chosen["own"], chosen["opp"]
    errors = [np.abs(static_values(*boards, *evaluator) - truth) for evaluator in evaluators]
    empties = empties_of(chosen)
    parts = [(phase, in_phase(empties, phase)) for phase in range(PHASES)] + [("all", empties >= 0)]
    return [
        (name, int(here.sum()), *(float(each[here].mean()) for each in errors)) for name, here in parts if here.any()
    ]
