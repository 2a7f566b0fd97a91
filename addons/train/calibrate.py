"""``quietmove train calibrate``: calibrate a network's output constants, starting from the end of the game.

Apart from these constants, a network cannot distinguish even from odd numbers of empty squares. The side to move with
an odd number is likely to make the last move, which is worth more in evenly played games. So the constants are measured
on games like those in which the network will be used. Near the end of the game the values are exact; before that they
come from searches whose leaves lie where the constants are already calibrated.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

import click
import numpy as np
import numpy.typing as npt

from quietmove.addons.shared.search_depth import (
    SearchDepth,
    check_output,
    depth_option,
    exact_option,
    processes_option,
    write_output,
)
from quietmove.addons.shared.workers import compute
from quietmove.addons.train.label import BLOCK_POSITIONS, label_block
from quietmove.addons.train.positions import Records, empties_of, read_source, split, static_values
from quietmove.engine.common.command_line import examples, number_option
from quietmove.engine.games.othello.evaluators.network_weights import STAGES, corrected_network

LAST = STAGES - 1  # maximum number of empty squares with its own constant
MOST = 42  # skip positions with more empty squares, where search values drift


@click.command(
    epilog=examples("quietmove train calibrate my.weights fitted.weights games.txt"),
)
@click.argument("output", type=click.Path(path_type=Path))
@click.argument("weights", type=click.Path(path_type=Path))
@click.argument("source", type=click.Path(path_type=Path))
@number_option("--sample", 1500, "Random sample size per number of empty squares.")
@number_option("--seed", 1, "Seed of the sample.", 0)
@depth_option(8)
@exact_option(18)
@processes_option
def calibrate(
    output: Path, weights: Path, source: Path, sample: int, seed: int, depth: int, exact: int, processes: int
) -> None:
    """Correct a network's output for each number of empty squares by its mean error, and write the weights to OUTPUT.

    The errors are measured on positions of SOURCE, a file of positions or games. Use games as they are actually played;
    positions with more than 42 empty squares are skipped. Prints the shifts in discs. The same file and options
    produce the same weights.
    """
    check_output(output, [weights, source])
    records = read_source(source)
    with TemporaryDirectory() as folder:
        path = Path(folder) / "network.weights"
        path.write_bytes(corrected_network(str(weights), [0.0] * (LAST + 1)))
        click.echo("empties  positions  moved  (discs)")
        for number, group in enumerate(groups_from_the_end(records, depth, exact, sample, seed)):
            effort = SearchDepth(depth, exact, "network", str(path))
            blocks = compute(partial(label_block, effort), split(group, BLOCK_POSITIONS // 8), processes)
            labelled = np.concatenate(list(blocks))
            moved = corrections(labelled, str(path))
            for empties in np.unique(empties_of(labelled)):
                count = int((empties_of(labelled) == empties).sum())
                click.echo(f"{empties:7}  {count:9,}  {moved[min(empties, LAST)]:+5.2f}")
            data = corrected_network(str(path), moved.tolist())
            path = path.with_name(f"{number}.weights")
            path.write_bytes(data)
        write_output(output, path.read_bytes())


def groups_from_the_end(records: Records, depth: int, exact: int, sample: int, seed: int) -> Iterator[Records]:
    """Yield groups of positions to label together, from the end of the game backwards.

    :param depth, exact: search limits; the leaves of one group's searches lie in the groups before it.
    :param sample: positions per number of empty squares.
    """
    draws = np.random.default_rng(seed)
    empties = empties_of(records)
    fewest = 0
    for most in range(exact, MOST + 1, depth):
        chosen = [np.flatnonzero(empties == number) for number in range(fewest, most + 1)]
        taken = [np.sort(draws.choice(each, min(sample, len(each)), replace=False)) for each in chosen]
        group = records[np.concatenate(taken)]
        if len(group):
            yield group
        fewest = most + 1


def corrections(labelled: Records, weights: str) -> npt.NDArray[np.float64]:
    """Return the shift of each output constant in discs: the negative mean error.

    :param labelled: labelled positions.
    :param weights: path of the network's weights.
    """
    errors = static_values(labelled["own"], labelled["opp"], "network", weights) - labelled["value"] / 100
    numbers = np.minimum(empties_of(labelled), LAST)
    counts = np.bincount(numbers, minlength=LAST + 1)
    return -np.bincount(numbers, weights=errors, minlength=LAST + 1) / np.maximum(counts, 1)
