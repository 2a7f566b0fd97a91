"""The figure of a report, drawn by matplotlib, which is imported only when somebody wants a figure."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import click

from quietmove.engine.lab.report import Cell, Report

__all__ = ["draw", "require_plots"]

MARKERS = "osD^v<>Px*"


def require_plots(path: Path) -> None:
    """Return if a figure can be drawn to ``path``.

    :raises click.UsageError: if matplotlib is not installed, or the file cannot be there.
    """
    if path.suffix.lower() != ".svg":
        raise click.UsageError(f"--plot: a file that ends in .svg is allowed; {str(path)!r} came")
    if not path.parent.is_dir():
        raise click.UsageError(f"--plot: there is no folder {str(path.parent)!r}")
    if importlib.util.find_spec("matplotlib") is None:
        raise click.UsageError("--plot: matplotlib is not installed; pip install 'quietmove[plots]' brings it")


def draw(report: Report, path: Path) -> None:
    """Draw the report's figure; the same report gives the same file."""
    import matplotlib
    from matplotlib.figure import Figure

    wanted = report.figure
    xs = report.column(wanted.x)
    with matplotlib.rc_context({"svg.hashsalt": report.experiment}):
        figure = Figure(figsize=(7, 4.5), layout="constrained")
        axes = figure.add_subplot()
        places = range(len(xs))
        for name, marker in zip(wanted.ys, MARKERS, strict=False):
            points = [(x, y) for x, cell in zip(places, report.column(name), strict=True) for y in heights(cell)]
            axes.plot([x for x, _ in points], [y for _, y in points], marker=marker, label=name)
        axes.set_xticks(list(places), [str(x) for x in xs])
        axes.set_xlabel(wanted.x)
        axes.set_ylabel(wanted.y_label)
        axes.set_title(report.title, fontsize="medium", wrap=True)
        if wanted.log:
            axes.set_yscale("log")
        axes.grid(alpha=0.3)
        axes.legend()
        figure.savefig(path, format="svg", metadata={"Date": None})


def heights(cell: Cell) -> list[float]:
    """Return a cell's number, or nothing if it holds none."""
    return [float(cell)] if isinstance(cell, int | float) else []
