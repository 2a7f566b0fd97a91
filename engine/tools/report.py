"""What an experiment found: a table, a few sentences, and which of its columns the diagrams show."""

from __future__ import annotations

import json
import sys
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, TypeVar

from quietmove.engine.common.command_line import terminal_columns

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


Cell = str | int | float | bool | None
WIDTH = 100  # a line of text has at most so many letters, and on a narrower terminal its width


@dataclass(frozen=True, slots=True)
class Column:
    """One column.

    :param name: its head, and the key of its cells in the JSON document.
    :param spec: how a number is written, as :func:`format` takes it.
    """

    name: str
    spec: str = ""

    def text(self, cell: Cell) -> str:
        """Return ``cell`` as the table shows it."""
        if cell is None:
            return ""
        if isinstance(cell, bool):
            return "yes" if cell else "no"
        return cell if isinstance(cell, str) else format(cell, self.spec)


def columns(heads: str) -> tuple[Column, ...]:
    """Return the columns with these heads, ``depth:d; move; nodes:,d``: each with the format of its numbers, if any."""
    return tuple(Column(*head.split(":")) for head in heads.split("; "))


@dataclass(frozen=True, slots=True)
class Figure:
    """One diagram: the columns ``ys`` over the column ``x``.

    :param y_label, x_label: what the axes count, with the unit; the column's name where ``x_label`` is empty.
    :param style: ``lines`` or ``points`` over numbers or categories, ``bars`` over categories.
    :param log, log_x: whether the vertical and the horizontal axis are logarithmic; ``log_x`` needs numbers there.
    :param series: the column by which the rows are divided into series, each with its own line.
    :param labels: what the legend calls the ``ys``; their own names if there are none.
    :param computed: those of ``ys`` that no search measured: they are drawn as dashes.
    """

    x: str
    ys: tuple[str, ...]
    y_label: str
    x_label: str = ""
    style: Literal["lines", "points", "bars"] = "lines"
    log: bool = True
    log_x: bool = False
    series: str = ""
    labels: tuple[str, ...] = ()
    computed: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Report:
    """The outcome of an experiment.

    :param parameters: what it was run with, so that it can be run again.
    :param rows: as many cells each as there are columns.
    :param figures: diagrams, drawn side by side.
    :param notes: what the table shows, one sentence each.
    """

    experiment: str
    title: str
    columns: tuple[Column, ...]
    rows: Sequence[tuple[Cell, ...]]
    figures: tuple[Figure, ...]
    notes: tuple[str, ...] = ()
    parameters: Mapping[str, Any] = field(default_factory=dict)

    def column(self, name: str) -> list[Cell]:
        return [row[name] for row in self.objects()]

    def objects(self) -> list[dict[str, Cell]]:
        """Return each row by the names of the columns."""
        names = [column.name for column in self.columns]
        return [dict(zip(names, row, strict=True)) for row in self.rows]


def to_json(report: Report) -> str:
    document = {
        "experiment": report.experiment,
        "title": report.title,
        "parameters": dict(report.parameters),
        "rows": report.objects(),
        "notes": list(report.notes),
    }
    return json.dumps(document, indent=2)


def table_lines(columns: Sequence[Column], rows: Sequence[tuple[Cell, ...]]) -> list[str]:
    """Return a table as lines of text; a column that holds words stands at the left.

    In a table that would be wider than :data:`WIDTH` or the terminal, a head may take several lines.
    """
    bodies = [[column.text(row[index]) for row in rows] for index, column in enumerate(columns)]
    heads = [[column.name] for column in columns]
    if sum(max(map(len, (*head, *body))) + 2 for head, body in zip(heads, bodies, strict=True)) - 2 > line_width():
        heads = [
            textwrap.wrap(name, max(map(len, (*name.split(), *body))))
            for name, body in zip((column.name.replace("+", "+ ") for column in columns), bodies, strict=True)
        ]
    height = max(map(len, heads))
    made = []
    for index, (head, body) in enumerate(zip(heads, bodies, strict=True)):
        texts = [*[""] * (height - len(head)), *head, *body]
        place = str.ljust if any(isinstance(row[index], str) for row in rows) else str.rjust
        made.append([place(text, max(map(len, texts))) for text in texts])
    return ["  ".join(row).rstrip() for row in zip(*made, strict=True)]


def line_width() -> int:
    """Return how many letters a line of text may have."""
    return terminal_columns(WIDTH)


def plain_text(report: Report) -> str:
    width = line_width()
    notes = [line for note in report.notes for line in textwrap.wrap(note, width)]
    lines = [*textwrap.wrap(report.title, width), "", *table_lines(report.columns, report.rows), "", *notes]
    return "\n".join(lines).rstrip()
