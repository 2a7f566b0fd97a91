"""``quietmove train probcut``: the parameters of ProbCut, fitted to our own searches (Buro 1995).

They say how far a deep value lies from a shallow one.
Each position is searched full width to every depth up to a limit, and near the end of the game exactly. Two depths that
are both even or both odd give a difference of values. The standard deviation of these differences has the form that
:mod:`quietmove.engine.games.othello.probcut` describes; its parameters are fitted by maximum likelihood.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import click
import numpy as np

from quietmove.common.command_line import examples, number_option
from quietmove.engine.errors import TrainingError
from quietmove.engine.games.othello.board import OthelloPosition
from quietmove.engine.games.othello.probcut import Parameters, terms
from quietmove.engine.search.deepening import Deepening
from quietmove.engine.search.table import Table
from quietmove.engine.tools.lab.experiment import show, show_options
from quietmove.engine.tools.lab.report import Cell, Column, Figure, Report
from quietmove.engine.tools.training.command_options import effort_options, processes_option
from quietmove.engine.tools.training.games import read_source
from quietmove.engine.tools.training.judge import Effort
from quietmove.engine.tools.training.label import sampled
from quietmove.engine.tools.training.positions import Records, split
from quietmove.engine.tools.workers import compute
from quietmove.engine.values import Limits, Settings

__all__ = ["Pair", "as_report", "compare", "fit", "pairs_of_block", "probcut"]

BLOCK_POSITIONS = 16
MEGABYTES = 8  # of the table
NEWTON_STEPS = 50
BAND = 10  # numbers of empty squares that a row of the report takes together
FEWEST = 20  # pairs that a row of the report stands for
FEWEST_PAIRS = 100  # for five parameters


@click.command(
    epilog=examples("quietmove train probcut games.pos --plot deviations.svg"),
)
@click.argument("source", type=click.Path(path_type=Path))
@number_option("--sample", 2000, "Positions, drawn at random from all.")
@number_option("--seed", 1, "Of this choice.", 0)
@effort_options(depth=10, exact=18)
@show_options
@processes_option
def probcut(
    source: Path,
    sample: int,
    seed: int,
    effort: Effort,
    as_json: bool,
    plot: Path | None,
    processes: int,
) -> None:
    """Search positions of SOURCE to every depth up to --depth, and fit how well one depth predicts another.

    SOURCE is a file of positions or of games. Printed are the standard deviations that were measured and those of the
    formula in quietmove.engine.games.othello.probcut, and its parameters, as they stand there. The same file and
    options give the same parameters.
    """
    records = sampled(read_source(source), sample, 0, seed)
    pairs = [pair for block in compare(effort, records, processes) for pair in block]
    if len(pairs) < FEWEST_PAIRS:
        raise click.UsageError(f"SOURCE: must give at least {FEWEST_PAIRS} pairs of searches, not {len(pairs)}")
    run: dict[str, Cell] = {
        "source": str(source),
        "sample": sample,
        "seed": seed,
        "depth": effort.depth,
        "exact": effort.exact,
    }
    show(as_report(pairs, fit(pairs), run), as_json, plot)


@dataclass(frozen=True, slots=True)
class Pair:
    """Two searches of one position.

    :param empties: its empty squares.
    :param depth, shallow: plies of the two searches; one to the end of the game is as deep as there are empty squares.
    :param difference: the deep value less the shallow one, in hundredths of a disc.
    """

    empties: int
    depth: int
    shallow: int
    difference: int


def compare(effort: Effort, records: Records, processes: int) -> Iterator[list[Pair]]:
    """Yield the pairs of each block of positions."""
    return compute(partial(pairs_of_block, effort), split(records, BLOCK_POSITIONS), processes)


def pairs_of_block(effort: Effort, records: Records) -> list[Pair]:
    """Return the pairs of the positions, those left out in which the game is over."""
    table = Table(MEGABYTES)
    pairs: list[Pair] = []
    for own, opp in zip(records["own"].tolist(), records["opp"].tolist(), strict=True):
        position = OthelloPosition(own, opp, 0)
        if position.is_over():
            continue
        values = values_by_depth(effort, position, table)
        pairs += [
            Pair(position.moves_left(), depth, shallow, values[depth] - values[shallow])
            for depth in values
            for shallow in values
            if shallow < depth and (depth - shallow) % 2 == 0
        ]
    return pairs


def values_by_depth(effort: Effort, position: OthelloPosition, table: Table) -> dict[int, int]:
    """Return the value at each depth from 0 on, and, if it is searched, at the end of the game."""
    settings = Settings(evaluation=effort.evaluation, evaluation_file=effort.weights)
    end = position.moves_left()
    goals = [Limits(depth=min(effort.depth, end - 1))] if end > 1 else []
    if end <= effort.exact:
        goals.append(Limits(goal="solve"))
    position.choose_evaluator(effort.evaluation, effort.weights)
    values = {0: position.static_value()}
    for limits in goals:
        table.clear()
        for info in Deepening(position, table, settings, limits).iterations():
            values[info.depth] = info.score.value
    return values


def fit(pairs: Sequence[Pair]) -> Parameters:
    """Return the parameters under which the differences are most likely, by Newton's method.

    The logarithm of the standard deviation is linear in the parameters, and each difference normally distributed.

    :raises TrainingError: if the pairs are too much alike to tell the parameters apart.
    """
    features = np.array([terms(pair.empties, pair.depth, pair.shallow) for pair in pairs])
    if np.linalg.matrix_rank(features) < features.shape[1]:
        raise TrainingError(
            f"probcut: {features.shape[1]} parameters need pairs of several numbers of empties, depths and spans; "
            f"these have too few: search deeper, or take more positions"
        )
    squares = np.array([pair.difference for pair in pairs], dtype=np.float64) ** 2
    parameters = np.zeros(features.shape[1])
    parameters[0] = np.log(squares.mean()) / 2
    for _ in range(NEWTON_STEPS):
        ratios = squares * np.exp(-2 * features @ parameters)
        slope = features.T @ (1 - ratios)
        parameters -= np.linalg.solve(2 * (features.T * ratios) @ features, slope)
    rounded = [round(float(each), 4) for each in parameters]
    return Parameters(*rounded)


def as_report(pairs: Sequence[Pair], parameters: Parameters, run: dict[str, Cell]) -> Report:
    """Return measured and fitted standard deviations by empty squares and depths, in discs.

    :param run: what the pairs follow from.
    """
    groups: dict[tuple[int, int, int], list[Pair]] = defaultdict(list)
    for pair in pairs:
        if pair.depth < pair.empties:
            groups[pair.empties // BAND * BAND, pair.depth, pair.shallow].append(pair)
        else:
            groups[pair.empties // BAND * BAND, -1, pair.shallow].append(pair)
    rows = [row(*key, groups[key], parameters) for key in sorted(groups) if len(groups[key]) >= FEWEST]
    names = ("empties", "depth", "shallow", "pairs", "mean", "measured", "fitted")
    return Report(
        "probcut",
        f"Values at two depths, {len(pairs):,} pairs: the standard deviation of their difference (discs)",
        tuple(Column(name, ".2f" if name in names[4:] else "") for name in names),
        tuple(rows),
        (
            Figure(
                "fitted",
                ("measured",),
                "measured standard deviation (discs)",
                "fitted standard deviation (discs)",
                "points",
                log=False,
                series="empties",
            ),
        ),
        (f"PARAMETERS = {parameters}",),
        run,
    )


def row(band: int, depth: int, shallow: int, pairs: Sequence[Pair], parameters: Parameters) -> tuple[Cell, ...]:
    """Return a row of the report; the depth -1 stands for the end of the game."""
    differences = np.array([pair.difference for pair in pairs]) / 100
    fitted = [parameters.deviation(pair.empties, pair.depth, pair.shallow) / 100 for pair in pairs]
    return (
        f"{band}-{band + BAND - 1}",
        "end" if depth < 0 else str(depth),
        shallow,
        len(pairs),
        float(differences.mean()),
        float(np.sqrt((differences**2).mean())),
        float(np.sqrt((np.array(fitted) ** 2).mean())),
    )
