"""Progress bars on a terminal."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import TypeVar

T = TypeVar("T")


def with_progress(found: Iterator[T], count: int | None, what: str, done: int = 0) -> Iterator[T]:
    """Yield the items of an iterator while showing a progress bar on a terminal.

    :param count: the total number of items, or None if unknown.
    :param what: a plural noun for the items.
    :param done: the number of items completed earlier.
    """
    if not sys.stderr.isatty():
        yield from found
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TimeElapsedColumn, TimeRemainingColumn

    columns = ("{task.description}", BarColumn(), MofNCompleteColumn(), TimeElapsedColumn(), TimeRemainingColumn())
    console = Console(stderr=True)
    with Progress(*columns, console=console, transient=True, redirect_stdout=sys.stdout.isatty()) as progress:
        task = progress.add_task(what, total=count, completed=done)
        for each in found:
            progress.advance(task)
            yield each
