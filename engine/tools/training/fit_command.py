"""``quietmove train fit``: from labelled positions to weights."""

from __future__ import annotations

import math
import os
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path

import click

from quietmove.command_help import Number, examples
from quietmove.engine.files import write_whole
from quietmove.engine.games.othello.evaluators.weights import is_weights_file
from quietmove.engine.tools.lab.plot import draw_to, plot_option
from quietmove.engine.tools.lab.report import Column, Figure, Report
from quietmove.engine.tools.training.command_options import processes_option
from quietmove.engine.tools.training.fit import Fitted, Recipe, fit_phases, packed_weights, phase_bounds, read_sample
from quietmove.engine.tools.training.positions import read_positions

__all__ = ["fit"]

SHARES = Number(0, 1)


@click.command(
    epilog=examples("quietmove train fit my.weights labelled.pos --plot loss.svg"),
)
@click.argument("output", type=click.Path(path_type=Path))
@click.argument("files", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--epochs", type=click.IntRange(1, 1000), default=12, metavar="N", help="Passes over the data.  [12]")
@click.option(
    "--rate",
    type=Number(0, 2, min_open=True),
    default=0.7,
    metavar="R",
    help="Share of its error that a position takes off at first; it falls to 0.  [0.7]",
)
@click.option(
    "--early-rate",
    type=Number(0, 2, min_open=True),
    default=0.15,
    metavar="R",
    help="The same for the first two phases.  [0.15]",
)
@click.option(
    "--overlap",
    type=click.IntRange(0, 8),
    default=2,
    metavar="N",
    help="Plies on either side of a phase whose positions it is fitted to as well.  [2]",
)
@click.option("--seed", type=click.IntRange(0), default=1, metavar="N", help="Of the order of the positions.  [1]")
@click.option(
    "--held-out",
    type=Number(0, 50),
    default=3,
    metavar="PERCENT",
    help="Games that are measured on and not fitted to.  [3]",
)
@click.option(
    "--shares",
    type=(SHARES, SHARES),
    default=(0.7, 0.3),
    metavar="LATE EARLY",
    help="Share of the search's value, with at most 34 and with at least 40 empty squares; the rest is the result's."
    "  [0.7 0.3]",
)
@plot_option
@processes_option
def fit(
    output: Path,
    files: tuple[Path, ...],
    epochs: int,
    rate: float,
    early_rate: float,
    overlap: int,
    seed: int,
    held_out: float,
    shares: tuple[float, float],
    plot: Path | None,
    processes: int,
) -> None:
    """Fit weights to the positions of FILES and write them to OUTPUT.

    Printed is for each phase the root of the mean squared error in discs: over the last pass, and over the games held
    out. The same files and options give the same weights, byte for byte.
    """
    if plot is not None and plot.resolve() == output.resolve():
        raise click.UsageError(f"--plot: must be another file than OUTPUT, not {plot}")
    check_output(output, files)
    recipe = Recipe(epochs, rate, early_rate, overlap, seed, held_out, *shares)
    samples = [read_sample(read_positions(path), recipe, i, str(path)) for i, path in enumerate(files)]
    fitted = list(printed(fit_phases(samples, recipe, processes)))
    try:
        write_whole(output, packed_weights(fitted))
    except OSError as error:
        raise click.UsageError(f"OUTPUT: {output}: {error.strerror}") from None
    click.echo(f"{output}: {output.stat().st_size:,} bytes")
    if plot is not None:
        draw_to(as_report(fitted, recipe, files), plot)


def check_output(output: Path, files: Sequence[Path]) -> None:
    """Check that weights may be written to ``output``: no other work is lost, and the fit is not in vain.

    :raises click.UsageError: if they may not.
    """
    if not os.access(output.parent, os.W_OK):
        raise click.UsageError(f"OUTPUT: must be in a folder that can be written to, not in {str(output.parent)!r}")
    if output.resolve() in {file.resolve() for file in files}:
        raise click.UsageError(f"OUTPUT: must be a file of its own, not {output}, which is one of FILES")
    if output.exists() and not (output.is_file() and is_weights_file(str(output))):
        raise click.UsageError(f"OUTPUT: must be new or a file of weights, not {output}")


def printed(phases: Iterator[Fitted]) -> Iterator[Fitted]:
    """Pass the phases on and print a line for each."""
    click.echo("phase  empties  positions   loss  held out   (discs)")
    for each in phases:
        fewest, most = phase_bounds(each.phase)
        held_out = measured(each.held_out_loss)
        losses = f"{each.loss:5.2f}  {'-' if held_out is None else f'{held_out:.2f}':>8}"
        click.echo(f"{each.phase:5}  {fewest:3}-{most:<3}  {each.positions:9,}  {losses}")
        yield each


def as_report(fitted: Sequence[Fitted], recipe: Recipe, files: Sequence[Path]) -> Report:
    """Return the losses by phase as a report, which can be drawn."""
    rows = tuple(
        (phase_bounds(each.phase)[1], each.positions, each.loss, measured(each.held_out_loss))
        for each in fitted
        if each.positions
    )
    figure = Figure(
        "empties",
        ("loss", "held out"),
        "root of the mean squared error (discs)",
        "empty squares at the start of the phase",
        log=False,
        labels=("last pass", "games held out"),
    )
    parameters = {**asdict(recipe), "files": " ".join(map(str, files))}
    columns = tuple(map(Column, ("empties", "positions", "loss", "held out")))
    return Report("fit", f"Fit of {len(files)} files, {recipe.epochs} epochs", columns, rows, (figure,), (), parameters)


def measured(loss: float) -> float | None:
    """Return a loss, or None where nothing was measured."""
    return None if math.isnan(loss) else loss
