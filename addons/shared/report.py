"""The report of an experiment: a table, some sentences, and the columns to draw in diagrams."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from quietmove.engine.common.command_line import terminal_columns

Cell = str | int | float | bool | None
WIDTH = 100  # maximum length of a line in characters, unless the terminal is narrower


@dataclass(frozen=True, slots=True)
class Column:
    """A table column.

    :param name: its heading, and the key of its cells in the JSON document.
    :param spec: a format specification for numbers, as in :func:`format`.
    """

    name: str
    spec: str = ""

    def text(self, cell: Cell) -> str:
        """Format a cell for the table."""
        if cell is None:
            return ""
        if isinstance(cell, bool):
            return "yes" if cell else "no"
        return cell if isinstance(cell, str) else format(cell, self.spec)


def columns(heads: str) -> tuple[Column, ...]:
    """Parse column headings, each with an optional number format: ``depth:d; move; nodes:,d``."""
    return tuple(Column(*head.split(":")) for head in heads.split("; "))


@dataclass(frozen=True, slots=True)
class Figure:
    """A diagram: the columns ``ys`` plotted over the column ``x``.

    :param y_label, x_label: labels of the axes, with the unit; an empty ``x_label`` means the column's name.
    :param style: ``lines`` or ``points`` over numbers or categories, ``bars`` over categories.
    :param log, log_x: whether the vertical or horizontal axis is logarithmic; ``log_x`` needs numeric values.
    :param series: the column that divides the rows into series, each with its own line.
    :param labels: the names of the ``ys`` in the legend; default: the columns' names.
    :param computed: the ``ys`` that are computed instead of measured by a search; they are drawn as dashes.
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

    :param parameters: the arguments needed to repeat the experiment.
    :param rows: rows with one cell per column.
    :param figures: diagrams to draw side by side.
    :param notes: conclusions from the table, one sentence each.
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
        """Return each row as a dict keyed by column name."""
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
    """Format a table as lines of text, with text columns left-aligned.

    If the table would be wider than :data:`WIDTH` or the terminal, long headings are wrapped.
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
    """Return the maximum length of a line of text."""
    return terminal_columns(WIDTH)


def plain_text(report: Report) -> str:
    width = line_width()
    notes = [line for note in report.notes for line in textwrap.wrap(note, width)]
    lines = [*textwrap.wrap(report.title, width), "", *table_lines(report.columns, report.rows), "", *notes]
    return "\n".join(lines).rstrip()
