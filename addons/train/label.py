"""``quietmove train label``: label positions with values found by search."""

from __future__ import annotations

import random
import zlib
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import click
import numpy as np

from quietmove.addons.shared.search_depth import Judge, SearchDepth, discs, effort_options, made_by, processes_option
from quietmove.addons.shared.workers import compute
from quietmove.addons.train.positions import (
    EXACT,
    NO_RESULT,
    NO_VALUE,
    Records,
    make_file,
    read_source,
    split,
)
from quietmove.engine.common.command_line import Number, examples, number_option

BLOCK_POSITIONS = 2048
MAX_STRAY_PLIES = 3


@click.command(
    epilog=examples(
        "quietmove train label t.pos games.txt --evaluation classic",
        "quietmove train label again.pos games.pos --weights first.weights",
    ),
)
@click.argument("output", type=click.Path(path_type=Path))
@click.argument("source", type=click.Path(path_type=Path))
@click.option(
    "--sample",
    type=click.IntRange(1),
    default=10**12,
    metavar="N",
    help="Label a random sample of N positions.  [default: all]",
)
@number_option("--stray", 0, "Percentage of positions to vary by one to three random plies.", 0, 100, kind=Number)
@number_option("--seed", 1, "Seed of the sample and the variations.", 0)
@effort_options(depth=4, exact=12)
@processes_option
def label(
    output: Path,
    source: Path,
    sample: int,
    stray: float,
    seed: int,
    effort: SearchDepth,
    processes: int,
) -> None:
    """Search the positions in SOURCE and write them to OUTPUT with their values.

    SOURCE is a file of positions, whose exact values are kept, or of games: .wtb (WTHOR), .ggf, .txt with one
    transcript per line, or .jsonl (JSON lines). If OUTPUT already exists, the same command continues it.
    """
    records = sampled(read_source(source), sample, stray, seed)
    total = len(split(records, BLOCK_POSITIONS))

    def blocks(done: list[Records]) -> Iterator[Records]:
        return compute(partial(label_block, effort), split(records, BLOCK_POSITIONS)[len(done) :], processes)

    made_from: dict[str, object] = {
        "label": "straight",
        "records": zlib.crc32(records.tobytes()),
    }
    made_from |= made_by(effort)
    make_file(output, made_from, total, blocks)


def sampled(records: Records, count: int, stray: float, seed: int) -> Records:
    """Return a random sample of the positions, in their original order.

    :param count: the sample size; if there are fewer positions, all are returned.
    :param stray: percentage of positions to vary by one to three random plies; these lose their value and result.
    """
    draws = np.random.default_rng([seed, 0])
    chosen = records
    if count < len(records):
        chosen = records[np.sort(draws.choice(len(records), count, replace=False))]
    chosen = chosen.copy()
    judge = Judge(SearchDepth(1, 0, "discs"))
    choices = random.Random(seed)
    finished = np.zeros(len(chosen), bool)
    for i in np.flatnonzero(draws.random(len(chosen)) < stray / 100):
        finished[i] = not stray_from(judge, chosen, int(i), choices)
    return chosen[~finished]


def stray_from(judge: Judge, records: Records, i: int, choices: random.Random) -> bool:
    """Replace a position in ``records`` with one a few random moves later; return whether the game continues there."""
    position = judge.position
    position.set_up(int(records["own"][i]), int(records["opp"][i]), 0)
    for _ in range(choices.randint(1, MAX_STRAY_PLIES)):
        if moves := position.legal_moves():
            position.play(choices.choice(moves))
    records[i] = (*discs(position), records["game"][i], NO_VALUE, NO_RESULT, 0)
    return not position.is_over()


def label_block(effort: SearchDepth, records: Records) -> Records:
    """Return the records labelled by search, keeping exact values."""
    judge = Judge(effort)
    labelled = records.copy()
    for i in np.flatnonzero((records["flags"] & EXACT) == 0):
        judge.position.set_up(int(records["own"][i]), int(records["opp"][i]), 0)
        labelled["flags"][i] = EXACT if judge.is_exact() else 0
        labelled["value"][i] = judge.value()[0]
    return labelled
