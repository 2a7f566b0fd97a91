"""``quietmove train label``: the value of each position, by search."""

from __future__ import annotations

import time
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from quietmove.command_help import examples
from quietmove.engine.tools.number import Number
from quietmove.engine.tools.training.command_options import (
    effort_options,
    made_by,
    processes_option,
    read_effort,
    require_numpy,
)

if TYPE_CHECKING:
    from quietmove.engine.tools.training.labels import Work
    from quietmove.engine.tools.training.positions import Records

__all__ = ["label"]


@click.command(
    short_help="Give positions their values.",
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
    help="Label phase by phase from the end of the game, by weights that are fitted on the way.",
)
@click.option(
    "--sample", type=click.IntRange(1), default=10**12, metavar="N", help="Take N positions, drawn at random.  [all]"
)
@click.option(
    "--stray",
    type=Number(0, 100),
    default=0,
    metavar="PERCENT",
    help="Of the positions, those that one to three random plies follow.  [0]",
)
@click.option("--seed", type=click.IntRange(0), default=1, metavar="N", help="Of both choices.  [1]")
@effort_options(depth=4, exact=12)
@processes_option
def label(
    output: Path,
    source: Path,
    retrograde: bool,
    sample: int,
    stray: float,
    seed: int,
    depth: int,
    exact: int,
    evaluation: str,
    weights: Path | None,
    processes: int,
) -> None:
    """Search the positions of SOURCE and write them to OUTPUT with their values.

    SOURCE is a file of positions, whose exact values stay as they are, or of games: .wtb (WTHOR), .ggf, .txt with a
    transcript a line, or .jsonl (JSON lines). Where OUTPUT is there already, the same command goes on where it ended.

    With --retrograde no weights are needed: near the end of the game values are exact, and before that the search looks
    into the phase behind, which was labelled and fitted before.
    """
    require_numpy()
    from quietmove.engine.tools.training.labels import Retrograde, Straight, sampled
    from quietmove.engine.tools.training.sources import read_source
    from quietmove.engine.tools.training.work import fingerprint, make_file, shown

    if retrograde and (weights is not None or evaluation != "learnt"):
        raise click.UsageError(
            "--retrograde makes its own weights: neither --weights nor --evaluation is allowed with it"
        )
    if retrograde and exact < 4:  # else the last phase would need weights
        raise click.UsageError(f"--exact: at least 4 with --retrograde is allowed; {exact} came")
    effort = read_effort(depth, exact, evaluation, weights)
    records = sampled(read_source(source), sample, stray, seed)
    work: Work = Retrograde(records, effort) if retrograde else Straight(records, effort)
    began = time.perf_counter()

    def blocks(done: int) -> Iterator[Records]:
        return shown(work.label(output, done, processes), done, work.blocks, "label")

    checksum = zlib.crc32(records.tobytes())
    made_from = fingerprint("label", retrograde, checksum, (depth, exact) if retrograde else made_by(effort))
    file = make_file(output, made_from, work.blocks, blocks)
    click.echo(f"{output}: {file.positions:,} positions; {time.perf_counter() - began:.0f} seconds")
