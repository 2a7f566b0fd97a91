"""``quietmove train fit``: fit weights to labelled positions."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TypeVar

import click

from quietmove.addons.shared.plot import draw_to
from quietmove.addons.shared.report import Figure, Report, columns
from quietmove.addons.shared.search_depth import check_output, processes_option, write_output
from quietmove.addons.train.fit import (
    PhaseLoss,
    Recipe,
    Sample,
    joined,
    phase_bounds,
    read_sample,
)
from quietmove.addons.train.network_fit import Progress, losses, packed_network, passes, rounding
from quietmove.addons.train.positions import read_positions
from quietmove.engine.common.command_line import Number, examples, number_option
from quietmove.engine.tools.plot import plot_option

Loss = TypeVar("Loss", bound=PhaseLoss)
SHARES = Number(0, 1)


@click.command(
    epilog=examples(
        "quietmove train fit my.weights labelled.pos --plot loss.svg",
        "quietmove train fit my.weights labelled.pos --start old.weights",
    ),
)
@click.argument("output", type=click.Path(path_type=Path))
@click.argument("files", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option(
    "--start",
    type=click.Path(),
    default="",
    metavar="FILE",
    help="Initial weights; they reduce the learning rates to a third.  [default: small random numbers]",
)
@click.option(
    "--epochs", type=click.IntRange(1, 1000), default=6, metavar="N", help="Passes over the data.  [default: 6]"
)
@number_option("--seed", 1, "Seed of the order of the positions.", 0)
@number_option("--held-out", 3, "Percentage of games to measure on instead of fitting to.", 0, 50, kind=Number)
@click.option(
    "--shares",
    type=(SHARES, SHARES),
    default=(0.7, 0.3),
    metavar="LATE EARLY",
    help="Share of the search value in a position's target, with at most 34 and with at least 40 empty squares;"
    " the game's result makes up the rest."
    "  [default: 0.7 0.3]",
)
@plot_option
@processes_option
def fit(
    output: Path,
    files: tuple[Path, ...],
    start: str,
    epochs: int,
    seed: int,
    held_out: float,
    shares: tuple[float, float],
    plot: Path | None,
    processes: int,
) -> None:
    """Fit weights to the positions in FILES and write them to OUTPUT.

    Prints each phase's root mean square error in discs: over the last pass, and over the held-out games. The same files
    and options produce identical weights only with --processes 1, since threads update the network concurrently.
    An interrupted fit continues after its last complete pass.
    """
    if plot is not None and plot.resolve() == output.resolve():
        raise click.UsageError(f"--plot: {plot} is also OUTPUT; choose another file")
    check_output(output, files)
    recipe = Recipe(epochs, seed, held_out, *shares, start)
    samples = [read_sample(read_positions(path), recipe, i, str(path)) for i, path in enumerate(files)]
    losses = fit_network(output, samples, recipe, processes)
    click.echo(f"{output}: {output.stat().st_size:,} bytes")
    if plot is not None:
        draw_to(as_report(losses, recipe, files), plot)


def fit_network(output: Path, samples: list[Sample], recipe: Recipe, threads: int) -> Sequence[PhaseLoss]:
    """Fit a network's weights, save them, and return the losses. Prints the progress of each pass."""
    sample = joined(samples)
    samples.clear()  # free the memory of the separate samples
    progress = Progress.of(output, sample, recipe)
    network, done = progress.begin(recipe)
    click.echo("pass      loss  held out   (discs)")
    for each in passes(network, sample, recipe, done, threads):
        click.echo(f"{each.number:4}  {in_columns(each.loss, each.held_out_loss)}")
        write_output(progress.path, progress.to_bytes(network, each.number))
    write_output(output, packed_network(network))
    progress.path.unlink(missing_ok=True)
    found = list(printed(iter(losses(network, sample))))
    click.echo(f"rounded: {rounding(network, sample, output):.3f} discs from the unrounded weights")
    return found


def printed(phases: Iterator[Loss]) -> Iterator[Loss]:
    """Print a line for each phase, and yield the phases."""
    click.echo("phase  empties  positions      loss  held out   (discs)")
    for each in phases:
        fewest, most = phase_bounds(each.phase)
        losses = in_columns(each.loss, each.held_out_loss)
        click.echo(f"{each.phase:5}  {fewest:3}-{most:<3}  {each.positions:9,}  {losses}")
        yield each


def in_columns(*losses: float) -> str:
    """Format losses with two decimals, or "-" for NaN."""
    return "  ".join(f"{'-' if math.isnan(each) else f'{each:.2f}':>8}" for each in losses)


def as_report(fitted: Sequence[PhaseLoss], recipe: Recipe, files: Sequence[Path]) -> Report:
    """Return the losses by phase as a report that can be drawn."""
    rows = [
        (phase_bounds(each.phase)[1], *(None if math.isnan(loss) else loss for loss in (each.loss, each.held_out_loss)))
        for each in fitted
        if each.positions
    ]
    figure = Figure(
        "empties",
        ("loss", "held out"),
        "root of the mean squared error (discs)",
        "empty squares at the start of the phase",
        log=False,
        labels=("last pass", "games held out"),
    )
    parameters = {**asdict(recipe), "files": " ".join(map(str, files))}
    title = f"Fit of {len(files)} files, {recipe.epochs} epochs"
    return Report("fit", title, columns("empties; loss; held out"), rows, (figure,), (), parameters)
