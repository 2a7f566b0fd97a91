"""Drawing the figures of a report with matplotlib, which is imported on demand."""

from __future__ import annotations

import importlib.util
import textwrap
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import cycle
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

import click

from quietmove.engine.tools.report import Cell, Figure, Report, plain_text, to_json

if TYPE_CHECKING:
    from matplotlib.axes import Axes

FORMATS = (".svg", ".png")
MARKERS = "osD^vP*X"
WIDTHS, HEIGHT = (7.0, 10.5), 4.8  # inches: the width for one diagram, the width for two, and the height
DOTS = 150  # resolution of a PNG, in pixels per inch
LETTERS_ACROSS = 92  # characters that fit across a figure with one diagram
LEGEND_PLACE = -0.16  # position of the legend's upper edge relative to the diagram's lower edge, in diagram heights
BAR_GROUP = 0.8  # width of a group of bars, as a share of the distance between two categories


@dataclass(frozen=True, slots=True)
class Curve:
    """The points of one series and one column; ``computed`` ones come from a formula instead of a search."""

    label: str
    computed: bool
    xs: list[float]
    ys: list[float]


def has_matplotlib() -> bool:
    """Return whether matplotlib is installed."""
    return importlib.util.find_spec("matplotlib") is not None


def require_plots(ctx: click.Context, param: click.Parameter, path: Path | None) -> Path | None:
    """Check that a figure can be drawn to the path given for ``--plot``, and return it."""
    if path is None:
        return None
    if path.suffix.lower() not in FORMATS:
        raise click.UsageError(f"--plot: must be a file ending in {' or '.join(FORMATS)}, not {str(path)!r}")
    if not path.parent.is_dir():
        raise click.UsageError(f"--plot: the folder {str(path.parent)!r} does not exist")
    if not has_matplotlib():
        raise click.UsageError("--plot needs matplotlib; install it with 'pip install matplotlib'")
    return path


def draw_to(report: Report, path: Path) -> None:
    """Draw the figures of ``report`` to a file.

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
    help="Draw a figure to FILE, which must end in .svg or .png.",
)


def draw(report: Report, file: Path | BinaryIO, kind: str) -> None:
    """Draw a report's diagrams as ``svg`` or ``png``. The output is reproducible."""
    import matplotlib
    from matplotlib.figure import Figure as Canvas

    with matplotlib.rc_context({"svg.hashsalt": report.experiment, "font.size": 10, "axes.axisbelow": True}):
        width = WIDTHS[len(report.figures) - 1]
        canvas = Canvas(figsize=(width, HEIGHT), layout="constrained")
        for number, wanted in enumerate(report.figures, 1):
            draw_axes(canvas.add_subplot(1, len(report.figures), number), report, wanted)
        canvas.suptitle(textwrap.fill(report.title, round(LETTERS_ACROSS * width / WIDTHS[0])), fontsize="medium")
        canvas.savefig(file, format=kind, dpi=DOTS, metadata={"Date": None} if kind == "svg" else {"Software": None})


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
    """Return a numeric cell; anything else is a bug in the experiment."""
    assert isinstance(cell, int | float)
    return float(cell)


def draw_curves(axes: Axes, drawn: list[Curve], joined: bool) -> None:
    """Draw curves as markers, optionally joined by lines; computed values as dashes.

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
