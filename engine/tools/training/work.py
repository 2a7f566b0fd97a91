"""Blocks of work, written in their order, and taken up again after an end at any point."""

from __future__ import annotations

import sys
import zlib
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from quietmove.engine.tools.training.positions import Heading, PositionFile, Records

__all__ = ["fingerprint", "make_file", "shown"]


def fingerprint(*parts: object) -> int:
    """Return a 64-bit number of the texts of ``parts``."""
    text = repr(parts).encode()
    return zlib.crc32(text) << 32 | zlib.crc32(text[::-1])


def make_file(path: Path, made_from: int, blocks: int, start: Callable[[int], Iterable[Records]]) -> PositionFile:
    """Make a file of positions, or finish it.

    :param made_from: the fingerprint of all that the positions follow from.
    :param blocks: how many blocks the whole file has.
    :param start: returns the blocks from the one with this number on.
    :raises TrainingError: as :class:`PositionFile`.
    """
    with PositionFile(path, Heading(made_from, blocks)) as file:
        for records in start(file.blocks):
            file.write(records)
        assert file.blocks == blocks, "more blocks than were announced, or fewer"
    return file


def shown(blocks: Iterable[Records], done: int, total: int, what: str) -> Iterator[Records]:
    """Pass the blocks on; where standard error is a terminal, a bar there shows the progress and the rate.

    :param done: how many of the ``total`` blocks are there already.
    """
    if not sys.stderr.isatty():
        yield from blocks
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

    rate = TextColumn("{task.completed:,.0f} of {task.total:,.0f} blocks, {task.fields[rate]:,.0f} positions/s")
    columns = ("{task.description}", BarColumn(), rate, TimeElapsedColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True, redirect_stdout=False) as progress:
        task = progress.add_task(what, total=total, completed=done, rate=0.0)
        positions = 0
        for records in blocks:
            positions += len(records)
            elapsed = progress.tasks[0].elapsed or 1e-9
            progress.update(task, advance=1, rate=positions / elapsed)
            yield records
