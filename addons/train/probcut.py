"""``quietmove train probcut``: fit the parameters of ProbCut to the engine's own searches (Buro 1995).

The parameters describe how far a deep value lies from a shallow one. Each position is searched full width to every
depth up to a limit, and exactly near the end of the game. Two depths of the same parity give a difference of values.
The standard deviation of these differences has the form described in
:mod:`quietmove.engine.games.othello.probcut`; its parameters are fitted by maximum likelihood.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import click
import numpy as np

from quietmove.addons.shared.plot import show, show_options
from quietmove.addons.shared.report import Cell, Figure, Report, columns
from quietmove.addons.shared.search_depth import SearchDepth, effort_options, processes_option
from quietmove.addons.shared.workers import compute
from quietmove.addons.train.label import sampled
from quietmove.addons.train.positions import Records, read_source, split
from quietmove.engine.common.command_line import examples, number_option
from quietmove.engine.errors import TrainingError
from quietmove.engine.games.othello.board import OthelloPosition
from quietmove.engine.games.othello.probcut import Parameters, terms
from quietmove.engine.search.deepening import Deepening
from quietmove.engine.search.table import Table
from quietmove.engine.values import Limits, Settings

BLOCK_POSITIONS = 16
MEGABYTES = 8  # table size
NEWTON_STEPS = 50
TO_THE_END = -1  # the depth of searches to the end of the game
MIN_PAIRS = 100  # minimum number of pairs for fitting the five parameters
BAND = 10  # number of empty-square counts per row of the report
FEWEST = 20  # minimum number of pairs per row of the report


@click.command(
    epilog=examples("quietmove train probcut games.pos --plot deviations.svg"),
)
@click.argument("source", type=click.Path(path_type=Path))
@number_option("--sample", 2000, "Random sample size.")
@number_option("--seed", 1, "Seed of the sample.", 0)
@effort_options(depth=10, exact=18)
@show_options
@processes_option
def probcut(
    source: Path, sample: int, seed: int, effort: SearchDepth, as_json: bool, plot: Path | None, processes: int
) -> None:
    """Search positions of SOURCE to every depth up to --depth, and model how well one depth predicts another.

    SOURCE is a file of positions or games. Prints the measured standard deviations, those of the formula in
    quietmove.engine.games.othello.probcut, and its parameters in the form used there. The same file and options produce
    the same parameters.
    """
    records = sampled(read_source(source), sample, 0, seed)
    blocks = compute(partial(pairs_of_block, effort), split(records, BLOCK_POSITIONS), processes)
    pairs = [pair for block in blocks for pair in block]
    if len(pairs) < MIN_PAIRS:
        raise click.UsageError(f"SOURCE: must yield at least {MIN_PAIRS} pairs of searches, not {len(pairs)}")
    run = {"source": str(source), "sample": sample, "seed": seed, "depth": effort.depth, "exact": effort.exact}
    show(as_report(pairs, fit(pairs), run), as_json, plot)


@dataclass(frozen=True, slots=True)
class Pair:
    """A pair of searches of one position.

    :param empties: the number of empty squares.
    :param depth, shallow: the two depths in plies; a search to the end is as deep as there are empty squares.
    :param difference: the deep value minus the shallow one, in hundredths of a disc.
    """

    empties: int
    depth: int
    shallow: int
    difference: int


def pairs_of_block(effort: SearchDepth, records: Records) -> list[Pair]:
    """Return the pairs for the positions, skipping finished games."""
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


def values_by_depth(effort: SearchDepth, position: OthelloPosition, table: Table) -> dict[int, int]:
    """Return the value at each depth from 0 and, near the end of the game, the exact value."""
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
    """Return the maximum likelihood parameters, found by Newton's method.

    The log of the standard deviation is linear in the parameters, and each difference is normally distributed.

    :raises TrainingError: if the pairs are too similar to determine the parameters.
    """
    features = np.array([terms(pair.empties, pair.depth, pair.shallow) for pair in pairs])
    if np.linalg.matrix_rank(features) < features.shape[1]:
        raise TrainingError(
            f"probcut: {features.shape[1]} parameters need pairs with various numbers of empties, depths and spans; "
            "these vary too little: search deeper, or take more positions"
        )
    squares = np.array([pair.difference for pair in pairs], dtype=np.float64) ** 2
    parameters = np.zeros(features.shape[1])
    parameters[0] = np.log(squares.mean()) / 2
    for _ in range(NEWTON_STEPS):
        ratios = squares * np.exp(-2 * features @ parameters)
        slope = features.T @ (1 - ratios)
        parameters -= np.linalg.solve(2 * (features.T * ratios) @ features, slope)
    return Parameters(*(round(float(each), 4) for each in parameters))


def as_report(pairs: Sequence[Pair], parameters: Parameters, run: Mapping[str, object]) -> Report:
    """Return a report that compares the measured standard deviations with the fitted ones, in discs.

    :param run: the parameters of the run.
    """
    groups: dict[tuple[int, int, int], list[Pair]] = defaultdict(list)
    for pair in pairs:
        depth = pair.depth if pair.depth < pair.empties else TO_THE_END
        groups[pair.empties // BAND * BAND, depth, pair.shallow].append(pair)
    return Report(
        "probcut",
        f"Values at two depths, {len(pairs):,} pairs: the standard deviation of their difference (discs)",
        columns("empties; depth; shallow; pairs; mean:.2f; measured:.2f; fitted:.2f"),
        [row(*key, groups[key], parameters) for key in sorted(groups) if len(groups[key]) >= FEWEST],
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
    differences = np.array([pair.difference for pair in pairs]) / 100
    fitted = np.array([parameters.deviation(pair.empties, pair.depth, pair.shallow) for pair in pairs]) / 100
    figures = (differences.mean(), np.sqrt((differences**2).mean()), np.sqrt((fitted**2).mean()))
    depths = ("end" if depth == TO_THE_END else str(depth), shallow)
    return (f"{band}-{band + BAND - 1}", *depths, len(pairs), *map(float, figures))
