"""Draw the figures of a report."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import cycle
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from quietmove.addons.shared.report import Cell, Figure, Report, plain_text, to_json
from quietmove.engine.tools.plot import LETTERS_ACROSS, WIDTH, figure, figure_in, plot_option

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Canvas

MARKERS = "osD^vP*X"
WIDTHS = (WIDTH, 1.5 * WIDTH)  # of a report with one diagram, and with two
LEGEND_PLACE = -0.16  # position of the legend's upper edge relative to the diagram's lower edge, in diagram heights
BAR_GROUP = 0.8  # width of a group of bars, as a share of the distance between two categories


@dataclass(frozen=True, slots=True)
class Curve:
    """The points of one series and one column. If ``computed``, they come from a formula instead of a search."""

    label: str
    computed: bool
    xs: list[float]
    ys: list[float]


def svg(report: Report) -> str:
    """Return a report's diagrams as SVG."""
    file = io.BytesIO()
    with figure(file, "svg", report.experiment, report.title, width_of(report)) as canvas:
        draw(canvas, report)
    return file.getvalue().decode()


def draw_to(report: Report, path: Path) -> None:
    """Save a report's diagrams to ``path``, the argument of ``--plot``.

    :raises click.UsageError: if the file cannot be written.
    """
    with figure_in(path, report.experiment, report.title, width_of(report)) as canvas:
        draw(canvas, report)


def width_of(report: Report) -> float:
    return WIDTHS[len(report.figures) - 1]


def draw(canvas: Canvas, report: Report) -> None:
    """Draw a report's diagrams side by side."""
    for number, wanted in enumerate(report.figures, 1):
        draw_axes(canvas.add_subplot(1, len(report.figures), number), report, wanted)


def draw_axes(axes: Axes, report: Report, wanted: Figure) -> None:
    """Draw one diagram, with a legend below it if it has several curves."""
    from matplotlib.ticker import MaxNLocator

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
        axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    else:
        crowded = max(map(len, categories)) * len(categories) > LETTERS_ACROSS
        slant: dict[str, Any] = {"rotation": 30, "ha": "right", "rotation_mode": "anchor"} if crowded else {}
        axes.set_xticks(range(len(categories)), categories, **slant)
    axes.set_xlabel(wanted.x_label or wanted.x)
    axes.set_ylabel(wanted.y_label)
    axes.grid(axis="y" if wanted.style == "bars" else "both", alpha=0.3)
    axes.spines[["top", "right"]].set_visible(False)
    if len(drawn) > 1:
        axes.legend(frameon=False, ncols=2, loc="upper center", bbox_to_anchor=(0.5, LEGEND_PLACE))


def scale_heights(axes: Axes, heights: list[float], wanted: Figure) -> None:
    """Scale the vertical axis to end a little above the highest point, starting at 0 or below the lowest.

    For bars, a logarithmic axis starts at 1, so that their lengths can be compared between figures.
    """
    low = min(heights, default=1)
    high = max(heights, default=1)
    if wanted.log:
        axes.set_yscale("log")
        axes.set_ylim(1 if wanted.style == "bars" else low / 2, high * 2)
    else:
        axes.set_ylim(min(0, low), high + 0.12 * ((high - min(0, low)) or 1))


def curves(report: Report, wanted: Figure, categories: list[str]) -> Iterator[Curve]:
    """Yield one curve per series and column, skipping rows without a value and, on a logarithmic axis, zeros.

    :param categories: the values on the horizontal axis, or [] if it is numeric.
    """
    rows = report.objects()
    for group in dict.fromkeys(row.get(wanted.series) for row in rows):
        for name, label in zip(wanted.ys, wanted.labels or wanted.ys, strict=True):
            curve = Curve(f"{group}: {label}" if wanted.series else label, name in wanted.computed, [], [])
            for row in rows:
                if row.get(wanted.series) == group and row[name] is not None and not (wanted.log and row[name] == 0):
                    x = row[wanted.x]
                    y = number(row[name])
                    curve.xs.append(categories.index(str(x)) if categories else number(x))
                    curve.ys.append(y)
            yield curve


def number(cell: Cell) -> float:
    """Return a numeric cell as a float. The cell must not be text or empty."""
    assert isinstance(cell, int | float)
    return float(cell)


def draw_curves(axes: Axes, drawn: list[Curve], joined: bool) -> None:
    """Draw curves as markers, optionally joined by lines. Computed values are drawn as dashes.

    Later curves are thinner and have larger, hollow markers, so that coinciding points of two curves are both visible.
    """
    computed = {"linestyle": "--"} if joined else {"marker": "_", "markersize": 22, "markeredgewidth": 2}
    for index, (curve, marker) in enumerate(zip(drawn, cycle(MARKERS))):
        look: dict[str, Any] = computed
        if not curve.computed:
            look = {"marker": marker, "markersize": 5 + 3 * index, "linewidth": max(1, 4 - 2 * index)}
            look |= {"markerfacecolor": "none"} if index else {}
        axes.plot(curve.xs, curve.ys, label=curve.label, clip_on=False, **{"linestyle": "-" if joined else "", **look})


def draw_bars(axes: Axes, drawn: list[Curve]) -> None:
    """Draw a group of bars for each category, labelled with their values."""
    width = BAR_GROUP / len(drawn)
    for index, curve in enumerate(drawn):
        shift = (index - (len(drawn) - 1) / 2) * width
        bars = axes.bar([x + shift for x in curve.xs], curve.ys, width, label=curve.label)
        axes.bar_label(bars, [f"{y:.3g}" if y < 1000 else f"{y:,.0f}" for y in curve.ys], padding=3, fontsize=9)


def show_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options --json and --plot to a command that shows a report."""
    return plot_option(
        click.option("--json", "as_json", is_flag=True, help="Print the data as one JSON document.")(command)
    )


def show(report: Report, as_json: bool, plot: Path | None) -> None:
    """Print a report, and draw its figures if requested.

    :raises click.UsageError: if the file cannot be written.
    """
    if plot is not None:
        draw_to(report, plot)
    click.echo(to_json(report) if as_json else plain_text(report))
