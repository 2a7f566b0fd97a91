"""``quietmove train label``: label positions with values found by search.

*Retrograde* labels need no initial weights. Positions are labelled phase by phase from the end of the game backwards:
exactly near the end, and before that by searches whose leaves lie in the following phase, which has already been
labelled and fitted.
"""

from __future__ import annotations

import random
import zlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

import click
import numpy as np

from quietmove.addons.shared.search_depth import Judge, SearchDepth, discs, effort_options, made_by, processes_option
from quietmove.addons.shared.workers import Workers, compute
from quietmove.addons.train.fit import (
    Fitted,
    Recipe,
    fit_phase,
    packed_weights,
    phase_bounds,
    read_sample,
)
from quietmove.addons.train.positions import (
    EXACT,
    NO_RESULT,
    NO_VALUE,
    RECORD,
    Records,
    empties_of,
    make_file,
    read_source,
    split,
)
from quietmove.engine.common.command_line import Number, examples, number_option
from quietmove.engine.games.othello.evaluators import evaluators_of
from quietmove.engine.games.othello.evaluators.weights import PHASES

BLOCK_POSITIONS = 2048
MAX_STRAY_PLIES = 3
# The intermediate fits learn only from values, and hold out no games.
RETROGRADE = Recipe(epochs=10, held_out=0, late_share=1, early_share=1)


@click.command(
    epilog=examples(
        "quietmove train label t.pos games.txt --retrograde",
        "quietmove train label again.pos games.pos --weights first.weights",
    ),
)
@click.argument("output", type=click.Path(path_type=Path))
@click.argument("source", type=click.Path(path_type=Path))
@click.option(
    "--retrograde",
    is_flag=True,
    help="Label phase by phase from the end of the game, using weights fitted along the way.",
)
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
    retrograde: bool,
    sample: int,
    stray: float,
    seed: int,
    effort: SearchDepth,
    processes: int,
) -> None:
    """Search the positions in SOURCE and write them to OUTPUT with their values.

    SOURCE is a file of positions, whose exact values are kept, or of games: .wtb (WTHOR), .ggf, .txt with one
    transcript per line, or .jsonl (JSON lines). If OUTPUT already exists, the same command continues it.

    With --retrograde no weights are needed: near the end of the game values are exact, and before that each search
    looks into the following phase, which has already been labelled and fitted.
    """
    if retrograde and (effort.weights or effort.evaluation != evaluators_of(8)[0]):
        raise click.UsageError("--retrograde cannot be combined with --weights or --evaluation")
    if retrograde and effort.exact < 4:  # the last phase would need weights
        raise click.UsageError(f"--exact: must be at least 4 with --retrograde, not {effort.exact}")
    records = sampled(read_source(source), sample, stray, seed)
    phases = phases_from_the_end(records)
    total = sum(map(len, phases)) if retrograde else len(split(records, BLOCK_POSITIONS))

    def blocks(done: list[Records]) -> Iterator[Records]:
        if retrograde:
            return label_retrograde(phases, replace(effort, evaluation="learnt"), done, processes)
        return compute(partial(label_block, effort), split(records, BLOCK_POSITIONS)[len(done) :], processes)

    made_from: dict[str, object] = {
        "label": "retrograde" if retrograde else "straight",
        "records": zlib.crc32(records.tobytes()),
    }
    made_from |= {"depth": effort.depth, "exact": effort.exact} if retrograde else made_by(effort)
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


def phases_from_the_end(records: Records) -> list[list[Records]]:
    """Return each phase's records in blocks, last phase of the game first."""
    phases = np.clip((60 - empties_of(records)) // 4, 0, PHASES - 1)
    return [split(records[phases == phase], BLOCK_POSITIONS) for phase in reversed(range(PHASES))]


def label_retrograde(
    phases: Sequence[list[Records]], effort: SearchDepth, done: Iterable[Records], processes: int
) -> Iterator[Records]:
    """Yield the labelled blocks after those already done.

    :param phases: from :func:`phases_from_the_end`.
    :param effort: limits of each search, which uses the learnt evaluation with weights fitted along the way.
    """
    known = list(done)
    fitted: list[Fitted] = []
    later: list[Records] = []  # the labelled positions of the next phase
    with TemporaryDirectory() as folder, Workers(processes) as workers:
        for number, blocks in enumerate(phases):
            labelled = known[: len(blocks)]
            known = known[len(blocks) :]
            now = replace(effort, weights=write_weights(Path(folder), fitted)) if fitted else effort
            for block in workers.compute(partial(label_block, now), blocks[len(labelled) :]):
                labelled.append(block)
                yield block
            phase = PHASES - 1 - number
            records = np.concatenate([np.zeros(0, RECORD), *labelled, *later])
            chosen = records[empties_of(records) >= phase_bounds(phase)[0] - RETROGRADE.overlap]
            fitted.append(fit_phase(RETROGRADE, (phase, read_sample(chosen, RETROGRADE, 0, "of the later phases"))))
            later = labelled


def write_weights(folder: Path, fitted: Sequence[Fitted]) -> str:
    """Write the phases fitted so far and return the path. Earlier phases of the game repeat the latest fit."""
    path = folder / f"{len(fitted)}.weights"
    missing = [replace(fitted[-1], phase=phase) for phase in range(PHASES - len(fitted))]
    path.write_bytes(packed_weights([*missing, *reversed(fitted)]))
    return str(path)
