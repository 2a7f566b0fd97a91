"""The figure of a report, drawn by matplotlib, which is imported only when a figure is asked for."""

from __future__ import annotations

import importlib.util
import textwrap
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import cycle, pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

import click

from quietmove.engine.tools.lab.report import Cell, Figure, Report

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["draw", "draw_to", "has_matplotlib", "plot_option"]

FORMATS = (".svg", ".png")
MARKERS = "osD^vP*X"
WIDTHS, HEIGHT = (7.0, 10.5), 4.8  # inches, of a figure with one diagram and with two
DOTS = 150  # an inch, of a PNG
LINE = 92  # letters across one diagram
LEGEND_MARK = 9  # letters that would take the place of a legend's mark
MOST_TICKS = 24  # that fit on the horizontal axis; where the numbers are closer together, it chooses its own
BAR_GROUP = 0.8  # of the distance between two categories


@dataclass(frozen=True, slots=True)
class Curve:
    """The points of one series and one column.

    :param computed: whether a formula gave them, and no search.
    """

    label: str
    computed: bool
    xs: list[float]
    ys: list[float]


def has_matplotlib() -> bool:
    """Tell whether figures can be drawn here."""
    return importlib.util.find_spec("matplotlib") is not None


def require_plots(ctx: click.Context, param: click.Parameter, path: Path | None) -> Path | None:
    """Return the value of an option that names the file of a figure, once it is known that one can be drawn there.

    :raises click.UsageError: if matplotlib is not installed, or the file cannot be there.
    """
    if path is None:
        return None
    if path.suffix.lower() not in FORMATS:
        raise click.UsageError(f"--plot: must be a file that ends in {' or '.join(FORMATS)}, not {str(path)!r}")
    if not path.parent.is_dir():
        raise click.UsageError(f"--plot: must be in a folder that is there, not in {str(path.parent)!r}")
    if not has_matplotlib():
        raise click.UsageError("--plot: matplotlib is not installed; pip install matplotlib brings it")
    return path


def draw_to(report: Report, path: Path) -> None:
    """Draw the figure of ``report``.

    :raises click.UsageError: if the file cannot be written.
    """
    try:
        draw(report, path, path.suffix.lower().removeprefix("."))
    except OSError as error:
        raise click.UsageError(f"--plot: {path}: {error.strerror or error}") from None


plot_option = click.option(
    "--plot",
    type=click.Path(path_type=Path),
    callback=require_plots,
    metavar="FILE",
    help="Draw the figure; FILE ends in .svg or .png.",
)


def draw(report: Report, file: Path | BinaryIO, kind: str) -> None:
    """Draw the report's diagrams as ``svg`` or ``png``. The same report gives the same file."""
    import matplotlib
    from matplotlib.figure import Figure as Canvas

    with matplotlib.rc_context({"svg.hashsalt": report.experiment, "font.size": 10, "axes.axisbelow": True}):
        count = len(report.figures)
        canvas = Canvas(figsize=(WIDTHS[count - 1], HEIGHT), layout="constrained")
        for number, wanted in enumerate(report.figures, 1):
            draw_axes(canvas.add_subplot(1, count, number), report, wanted)
        handles, labels = canvas.axes[-1].get_legend_handles_labels()
        if any(axes.get_legend_handles_labels()[1] != labels for axes in canvas.axes):
            for axes in canvas.axes:
                if len(axes.get_legend_handles_labels()[1]) > 1:
                    axes.legend(frameon=False)
        elif len(labels) > 1:
            columns = max(1, LINE // (max(map(len, labels)) + LEGEND_MARK))
            canvas.legend(handles, labels, loc="outside lower center", ncols=min(columns, len(labels)), frameon=False)
        canvas.suptitle(textwrap.fill(report.title, round(LINE * WIDTHS[count - 1] / WIDTHS[0])), fontsize="medium")
        canvas.savefig(file, format=kind, dpi=DOTS, metadata={"Date": None} if kind == "svg" else {"Software": None})


def draw_axes(axes: Axes, report: Report, wanted: Figure) -> None:
    """Draw one diagram."""
    cells = report.column(wanted.x)
    numeric = wanted.style != "bars" and all(isinstance(cell, int | float) for cell in cells)
    categories = [] if numeric else list(dict.fromkeys(map(str, cells)))
    drawn = list(curves(report, wanted, categories))
    if wanted.style == "bars":
        draw_bars(axes, drawn)
    else:
        draw_curves(axes, drawn, wanted.style == "lines")
    scale_heights(axes, [y for curve in drawn for y in curve.ys], wanted)
    if wanted.log_x:
        axes.set_xscale("log")
    elif numeric:
        places = sorted({x for curve in drawn for x in curve.xs})
        gaps = [right - left for left, right in pairwise(places)]
        if not gaps or MOST_TICKS * min(gaps) >= sum(gaps):
            axes.set_xticks(places)
    else:
        crowded = max(map(len, categories)) * len(categories) > LINE
        slant: dict[str, Any] = {"rotation": 30, "ha": "right", "rotation_mode": "anchor"} if crowded else {}
        axes.set_xticks(range(len(categories)), categories, **slant)
    axes.set_xlabel(wanted.x_label or wanted.x)
    axes.set_ylabel(wanted.y_label)
    axes.grid(axis="y" if wanted.style == "bars" else "both", alpha=0.3)
    axes.spines[["top", "right"]].set_visible(False)


def scale_heights(axes: Axes, heights: list[float], wanted: Figure) -> None:
    """Let the vertical axis reach from a little below the lowest to a little above the highest point.

    Bars begin at 0, or at 1 where the axis is logarithmic, so that their lengths can be compared between figures. An
    axis of curves begins at 0 too if it is not logarithmic and the lowest point is at most half as high as the highest.
    """
    low, high = min(heights, default=1), max(heights, default=1)
    if wanted.log:
        axes.set_yscale("log")
        axes.set_ylim(1 if wanted.style == "bars" else low / 2, high * 2)
        return
    room = 0.12 * ((high - low) or 1)
    from_zero = wanted.style == "bars" or low <= high / 2
    axes.set_ylim(min(0, low) if from_zero else low - room, high + room)


def curves(report: Report, wanted: Figure, categories: list[str]) -> Iterator[Curve]:
    """Yield one curve for each series and column; a row without a number there is left out, as is 0 of a logarithm.

    :param categories: what stands on the horizontal axis; empty if it holds numbers.
    """
    names = [column.name for column in report.columns]
    rows = [dict(zip(names, row, strict=True)) for row in report.rows]
    for group in dict.fromkeys(row.get(wanted.series) for row in rows):
        for name, label in zip(wanted.ys, wanted.labels or wanted.ys, strict=True):
            curve = Curve(f"{group}: {label}" if wanted.series else label, name in wanted.computed, [], [])
            for row in rows:
                if row.get(wanted.series) == group and row[name] is not None and not (wanted.log and row[name] == 0):
                    x, y = row[wanted.x], number(row[name])
                    curve.xs.append(categories.index(str(x)) if categories else number(x))
                    curve.ys.append(y)
            yield curve


def number(cell: Cell) -> float:
    """Return a cell that holds a number; anything else is a bug of the experiment."""
    assert isinstance(cell, int | float)
    return float(cell)


def draw_curves(axes: Axes, drawn: list[Curve], joined: bool) -> None:
    """Draw each curve by markers, joined by lines if wanted; what was computed by dashes alone.

    The later curve is thinner, its marker is larger and hollow: where two have the same points, both are seen.
    """
    computed = {"linestyle": "--"} if joined else {"marker": "_", "markersize": 22, "markeredgewidth": 2}
    for index, (curve, marker) in enumerate(zip(drawn, cycle(MARKERS))):
        look: dict[str, Any] = computed
        if not curve.computed:
            look = {"marker": marker, "markersize": 5 + 3 * index, "linewidth": max(1, 4 - 2 * index)}
            look |= {"markerfacecolor": "none"} if index else {}
        axes.plot(curve.xs, curve.ys, label=curve.label, clip_on=False, **{"linestyle": "-" if joined else "", **look})


def draw_bars(axes: Axes, drawn: list[Curve]) -> None:
    """Draw a group of bars for each category, each with its number above it."""
    width = BAR_GROUP / len(drawn)
    for index, curve in enumerate(drawn):
        shift = (index - (len(drawn) - 1) / 2) * width
        bars = axes.bar([x + shift for x in curve.xs], curve.ys, width, label=curve.label)
        axes.bar_label(bars, [f"{y:.3g}" if y < 1000 else f"{y:,.0f}" for y in curve.ys], padding=3, fontsize=9)
