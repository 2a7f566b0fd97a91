"""``quietmove train selfplay``: games of the engine against itself."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from quietmove.command_help import examples
from quietmove.engine.tools.training.command_options import (
    effort_options,
    made_by,
    processes_option,
    read_effort,
    require_numpy,
)

if TYPE_CHECKING:
    from quietmove.engine.tools.training.positions import Records

__all__ = ["selfplay"]


@click.command(
    short_help="Play games for training.",
    epilog=examples("quietmove train selfplay games.pos --games 100000 --depth 4 --exact 14"),
)
@click.argument("output", type=click.Path(path_type=Path))
@click.option("--games", type=click.IntRange(1, 10**8), required=True, metavar="N", help="Games to play.")
@click.option(
    "--random-plies",
    type=(click.IntRange(0, 58), click.IntRange(0, 58)),
    default=(6, 58),
    metavar="FIRST LAST",
    help="Random plies that a game begins with, each number equally likely.  [6 58]",
)
@click.option("--seed", type=click.IntRange(0), default=1, metavar="N", help="Of the random plies.  [1]")
@effort_options(depth=4, exact=14)
@processes_option
def selfplay(
    output: Path,
    games: int,
    random_plies: tuple[int, int],
    seed: int,
    depth: int,
    exact: int,
    evaluation: str,
    weights: Path | None,
    processes: int,
) -> None:
    """Play games and write their positions to OUTPUT, each with the value of its search and the result of its game.

    Where OUTPUT is there already, the same command goes on where it ended, at whatever point that was. The finished
    file is the same, byte for byte, also for another number of processes.
    """
    require_numpy()
    from functools import partial

    from quietmove.engine.tools.training.selfplay import SelfPlay, play_block
    from quietmove.engine.tools.training.work import fingerprint, make_file, shown
    from quietmove.engine.tools.workers import compute

    shortest, longest = random_plies
    if shortest > longest:
        raise click.UsageError(f"--random-plies: FIRST at most LAST is allowed; {shortest} and {longest} came")
    effort = read_effort(depth, exact, evaluation, weights)
    plan = SelfPlay(games, shortest, longest, seed, effort)
    began = time.perf_counter()

    def blocks(done: int) -> Iterator[Records]:
        results = compute(partial(play_block, plan), range(done, plan.blocks), processes)
        return shown(results, done, plan.blocks, "self-play")

    made_from = fingerprint("selfplay", games, random_plies, seed, made_by(effort))
    file = make_file(output, made_from, plan.blocks, blocks)
    click.echo(f"{output}: {file.positions:,} positions of {games:,} games; {time.perf_counter() - began:.0f} seconds")
