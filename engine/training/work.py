"""Blocks of work, computed on several cores, written in their order, and taken up again after an end at any point."""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
import threading
import zlib
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from multiprocessing.connection import wait
from pathlib import Path
from typing import TypeVar

from quietmove.engine.errors import TrainingError
from quietmove.engine.training.positions import Heading, PositionFile, Records

__all__ = ["compute", "fingerprint", "make_file", "shown"]

T = TypeVar("T")
R = TypeVar("R")
AHEAD = 4  # tasks handed out to each process before the first of them is taken back


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


def compute(function: Callable[[T], R], tasks: Iterable[T], processes: int) -> Iterator[R]:
    """Yield the result of each task, in order.

    Worker processes are started anew, not forked: each ends by itself once this process is gone.

    :param processes: 1 for this process alone.
    :raises TrainingError: if a worker process ends before its work is done.
    """
    if processes == 1:
        yield from map(function, tasks)
        return
    context = multiprocessing.get_context("spawn")
    pool = ProcessPoolExecutor(processes, mp_context=context, initializer=follow_parent)
    pending: deque[Future[R]] = deque()
    try:
        for task in tasks:
            pending.append(pool.submit(function, task))
            if len(pending) == AHEAD * processes:
                yield pending.popleft().result()
        while pending:
            yield pending.popleft().result()
        pool.shutdown()
    except BrokenProcessPool:
        raise TrainingError(
            f"train: one of the {processes} worker processes ended before its work was done: killed, or out of memory"
        ) from None
    finally:
        pool.shutdown(wait=False, cancel_futures=True)
        for worker in multiprocessing.active_children():
            worker.terminate()


def follow_parent() -> None:
    """Leave Ctrl-C to the process that hands out the work, and end with it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=end_after_parent, daemon=True).start()


def end_after_parent() -> None:
    """End this process as soon as its parent has ended."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        wait([parent.sentinel])
        os._exit(1)


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
