"""``quietmove train check``: whether a file of positions, of games or of weights is whole, and what it holds."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from quietmove.command_help import examples
from quietmove.engine.tools.training.command_options import require_numpy

if TYPE_CHECKING:
    from quietmove.engine.tools.training.positions import Records

__all__ = ["check"]


class FilePath(click.Path):
    """A path that is not empty: the empty one would be taken for the folder."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the path."""
        if value == "":
            self.fail("the path of a file is allowed; an empty path came", param, ctx)
        return super().convert(value, param, ctx)


@click.command(
    short_help="Check a file of positions, games or weights.",
    epilog=examples(
        "quietmove train check my.weights", "quietmove train check labelled.pos --error --weights my.weights"
    ),
)
@click.argument("file", type=FilePath(path_type=Path))
@click.option("--error", is_flag=True, help="Compare the static evaluation with the values of the positions of FILE.")
@click.option(
    "--weights",
    type=FilePath(path_type=Path),
    metavar="WEIGHTS",
    help="Of the learnt evaluation that --error compares.  [those of the package]",
)
def check(file: Path, error: bool, weights: Path | None) -> None:
    """Read all of FILE, check it, and print what it holds.

    FILE is a file of positions, of games (.wtb, .ggf, .txt or .jsonl), or of weights. With --error, the mean absolute
    error of the learnt and of the classic evaluation is printed for each phase, in discs, against the values of the
    positions, or the results of their games where they have no values.
    """
    require_numpy()
    from quietmove.engine.games.othello.evaluators.weights import PHASES, is_weights_file, weights_of
    from quietmove.engine.tools.training.positions import require_regular
    from quietmove.engine.tools.training.sources import read_source

    if weights is not None and not error:
        raise click.UsageError("--weights: it is allowed with --error alone")
    require_regular(file)
    if is_weights_file(str(file)):
        if error:
            raise click.UsageError(f"--error: a file of positions or games is allowed; {file} holds weights")
        weights_of(str(file))
        click.echo(f"{file}: weights, {PHASES} phases, {file.stat().st_size:,} bytes; every checksum is right")
        return
    if weights is not None:
        require_regular(weights)
        weights_of(str(weights))
    records = read_source(file)
    for line in contents(file, records):
        click.echo(line)
    if error:
        for line in errors(records, weights):
            click.echo(line)


def contents(file: Path, records: Records) -> list[str]:
    """Return the lines that say what a file of positions holds."""
    import numpy as np

    from quietmove.engine.games.othello.evaluators.weights import PHASES
    from quietmove.engine.tools.training.fit import in_phase, phase_bounds
    from quietmove.engine.tools.training.positions import EXACT, NO_RESULT, NO_VALUE, empties_of

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
    """Return the lines that compare two evaluators."""
    from quietmove.engine.tools.training.accuracy import errors_by_phase

    found = errors_by_phase(records, [("learnt", str(weights) if weights is not None else ""), ("classic", "")])
    lines = ["phase  positions  learnt  classic   (mean absolute error, discs)"]
    for each in found:
        name = "all" if each.phase is None else each.phase
        lines.append(f"{name:>5}  {each.positions:9,}  {each.errors[0]:6.2f}  {each.errors[1]:7.2f}")
    return lines
