"""How far a long command has come, shown on standard error where that is a terminal."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import TypeVar

T = TypeVar("T")


def with_progress(found: Iterator[T], count: int | None, what: str, done: int = 0) -> Iterator[T]:
    """Pass on what is found; a bar tells how many have come.

    :param count: how many there will be, None if that is not known.
    :param what: their name, in the plural.
    :param done: how many of them there were before.
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
