"""``quietmove book build``: an opening book from our own searches."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import click

from quietmove.command_help import examples

__all__ = ["build"]


@click.command(
    short_help="Build an opening book of Othello.",
    epilog=examples("quietmove book build my.book --positions 20000 --depth 14"),
)
@click.argument("output", type=click.Path(path_type=Path))
@click.option(
    "--positions", type=click.IntRange(1, 80_000), default=20_000, metavar="N", help="Positions, at least.  [20000]"
)
@click.option("--depth", type=click.IntRange(1, 40), default=14, metavar="N", help="Plies of each search.  [14]")
@click.option(
    "--exact",
    type=click.IntRange(0, 30),
    default=20,
    metavar="N",
    help="Empty squares from which on a position is searched to the end of the game, and the book ends.  [20]",
)
@click.option("--work", type=click.Path(path_type=Path), metavar="FILE", help="Where the work is kept.  [OUTPUT.work]")
@click.option(
    "--processes",
    type=click.IntRange(1, 1024),
    default=os.cpu_count() or 1,
    metavar="N",
    help="Processes that share the work.  [one for each core]",
)
def build(output: Path, positions: int, depth: int, exact: int, work: Path | None, processes: int) -> None:
    """Build an opening book of Othello and write it to OUTPUT.

    The positions that are gone into first are those that few plies and small losses lead to. Of each, the moves that a
    short search does not find hopeless are searched.

    What was found is kept in the work file, batch by batch. The same command goes on where it ended, at whatever point
    that was, and gives the same bytes, also for another number of processes. With more positions it goes on from a
    smaller book of the same depth.
    """
    from quietmove.engine.tools.book.build import Plan
    from quietmove.engine.tools.book.build import build as build_book
    from quietmove.engine.tools.book.values import Effort

    began = time.perf_counter()
    place = work or output.with_name(f"{output.name}.work")
    with progress(positions) as show:
        count = build_book(Plan(positions, Effort(depth, exact)), output, place, processes, show)
    seconds = time.perf_counter() - began
    click.echo(f"{output}: {count:,} positions, {output.stat().st_size:,} bytes; {seconds:.0f} seconds")


@contextmanager
def progress(positions: int) -> Iterator[Callable[[int], None]]:
    """Show how many positions there are: as a bar on a terminal, elsewhere a line for each batch."""
    if not sys.stderr.isatty():
        yield lambda count: click.echo(f"{count:,} of {positions:,} positions", err=True)
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    done = TextColumn("{task.completed:,.0f} of {task.total:,.0f} positions")
    columns = (TextColumn("{task.description}"), BarColumn(), done, TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True, redirect_stdout=False) as bar:
        task = bar.add_task("book", total=positions)
        yield lambda count: bar.update(task, completed=count)
