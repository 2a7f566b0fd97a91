"""``quietmove train probcut``: the parameters of the selective search."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from quietmove.command_help import examples
from quietmove.engine.tools.training.command_options import effort_options, processes_option, read_effort, require_numpy

if TYPE_CHECKING:
    from quietmove.engine.tools.lab.report import Cell

__all__ = ["probcut"]

FEWEST_PAIRS = 100  # for five parameters


@click.command(
    short_help="Fit the parameters of ProbCut.",
    epilog=examples("quietmove train probcut games.pos --plot deviations.svg"),
)
@click.argument("source", type=click.Path(path_type=Path))
@click.option(
    "--sample", type=click.IntRange(1), default=2000, metavar="N", help="Positions, drawn at random from all.  [2000]"
)
@click.option("--seed", type=click.IntRange(0), default=1, metavar="N", help="Of this choice.  [1]")
@effort_options(depth=10, exact=18)
@click.option("--json", "json_output", is_flag=True, help="Print the data as one JSON document.")
@click.option("--plot", type=click.Path(path_type=Path), metavar="FILE", help="Draw the figure, to FILE.svg or .png.")
@processes_option
def probcut(
    source: Path,
    sample: int,
    seed: int,
    depth: int,
    exact: int,
    evaluation: str,
    weights: Path | None,
    json_output: bool,
    plot: Path | None,
    processes: int,
) -> None:
    """Search positions of SOURCE to every depth up to --depth, and fit how well one depth predicts another.

    SOURCE is a file of positions or of games. Printed are the standard deviations that were measured and those of the
    formula in quietmove.engine.games.othello.probcut, and its parameters, as they stand there. The same file and
    options give the same parameters.
    """
    require_numpy()
    from quietmove.engine.tools.lab.command import draw_to
    from quietmove.engine.tools.lab.plot import require_plots
    from quietmove.engine.tools.lab.report import print_report, to_json
    from quietmove.engine.tools.training.labels import sampled
    from quietmove.engine.tools.training.probcut import as_report, compare, fit
    from quietmove.engine.tools.training.sources import read_source

    if plot is not None:
        require_plots(plot)
    effort = read_effort(depth, exact, evaluation, weights)
    records = sampled(read_source(source), sample, 0, seed)
    pairs = [pair for block in compare(effort, records, processes) for pair in block]
    if len(pairs) < FEWEST_PAIRS:
        raise click.UsageError(f"SOURCE: positions that give {FEWEST_PAIRS} pairs are needed; {len(pairs)} came")
    run: dict[str, Cell] = {"source": str(source), "sample": sample, "seed": seed, "depth": depth, "exact": exact}
    report = as_report(pairs, fit(pairs), run)
    if plot is not None:
        draw_to(report, plot)
    if json_output:
        click.echo(to_json(report))
    else:
        print_report(report)
