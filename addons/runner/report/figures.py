"""A report's charts as image files, for a paper or a talk. Imports matplotlib only when drawing."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from quietmove.engine.common.text import printable

if TYPE_CHECKING:
    from matplotlib.axes import Axes

FIGURE_FORMATS = ("png", "svg")
MOST_ENGINES = 30  # maximum number of engines in a figure
DOTS_PER_INCH = 150  # resolution of a PNG
WIDTH, HEIGHT, ROW = 7.0, 3.6, 0.28  # in inches: the size of a figure, and the height of an engine's row
LONGEST_NAME = 30  # longer names are truncated
WON, LOST, LINE = "#1f6b45", "#a3382c", "#1c1f1d"
Row = Mapping[str, Any]


def figure_files(document: Mapping[str, Any], folder: Path, kind: str) -> dict[str, Path]:
    """Return the path at which each figure of a tournament will be written, keyed by figure name."""
    absent = {"llr"} - set(document["summary"])
    absent |= {"margins"} if not document["standings"][0]["margins"] else set()
    return {name: folder / f"{name}.{kind}" for name in FIGURES if name not in absent}


def write_figures(document: Mapping[str, Any], folder: Path, kind: str) -> None:
    """Draw a tournament's figures. The same document produces identical files.

    :param document: the document of :func:`quietmove.tournament.reporting.document.document`.
    :param kind: one of :data:`FIGURE_FORMATS`.
    """
    import matplotlib
    from matplotlib.figure import Figure

    folder.mkdir(parents=True, exist_ok=True)
    rows = document["standings"][:MOST_ENGINES]
    for name, path in figure_files(document, folder, kind).items():
        height = HEIGHT if name in ("llr", "margins") else 1.4 + ROW * len(rows)
        with matplotlib.rc_context({"svg.hashsalt": name, "font.size": 10, "axes.axisbelow": True}):
            figure = Figure(figsize=(WIDTH, height), layout="constrained")
            axes = figure.add_subplot()
            FIGURES[name](axes, document, rows)
            axes.set_title(_text(document["tournament"]), parse_math=False)
            dated = {"Date": None} if kind == "svg" else {"Software": None}
            figure.savefig(path, dpi=DOTS_PER_INCH, metadata=dated)


def _draw_elo(axes: Axes, document: Mapping[str, Any], rows: Sequence[Row]) -> None:
    places = range(len(rows))
    values = [row["elo"] for row in rows]
    errors = [row["error"] for row in rows]
    axes.errorbar(values, places, xerr=errors, fmt="o", color=WON, capsize=3)
    axes.axvline(0, color=LINE, linewidth=0.8, linestyle=":")
    _name_rows(axes, rows)
    axes.set_xlabel("Elo against the average of the field, with 95 % intervals")
    axes.grid(axis="x", alpha=0.3)


def _draw_crosstable(axes: Axes, document: Mapping[str, Any], rows: Sequence[Row]) -> None:
    places = {row["name"]: place for place, row in enumerate(rows)}
    shares = [[math.nan] * len(rows) for _ in rows]
    for each in document["meetings"]:
        one = places.get(each["first"])
        other = places.get(each["second"])
        if one is not None and other is not None:
            shares[one][other] = each["points"] / each["games"]
            shares[other][one] = 1 - shares[one][other]
            axes.text(other, one, f"{each['points']:g}", ha="center", va="center", fontsize=7)
            axes.text(one, other, f"{each['games'] - each['points']:g}", ha="center", va="center", fontsize=7)
    axes.imshow(shares, cmap="RdYlGn", vmin=0, vmax=1, alpha=0.7, aspect="auto")
    _name_rows(axes, rows)
    axes.set_xticks(range(len(rows)), [str(place) for place in range(1, len(rows) + 1)])
    axes.set_xlabel("points against the engine with this rank")


def _draw_llr(axes: Axes, document: Mapping[str, Any], rows: Sequence[Row]) -> None:
    facts = document["summary"]
    points = facts["trajectory"]
    axes.plot([point["pairs"] for point in points], [point["llr"] for point in points], color=WON)
    for bound, name, above in ((facts["lower"], "H0", 4), (facts["upper"], "H1", -12)):
        axes.axhline(bound, color=LINE, linewidth=0.8, linestyle="--")
        axes.annotate(name, (0, bound), textcoords="offset points", xytext=(4, above))
    axes.axhline(0, color=LINE, linewidth=0.5)
    axes.set_xlabel("pairs of games")
    axes.set_ylabel("log-likelihood ratio")


def _draw_margins(axes: Axes, document: Mapping[str, Any], rows: Sequence[Row]) -> None:
    from matplotlib.ticker import MaxNLocator

    margins, games = zip(*rows[0]["margins"], strict=True)
    axes.bar(margins, games, color=[WON if each > 0 else LOST if each < 0 else LINE for each in margins])
    axes.set_xlabel(f"margin of {_text(rows[0]['name'])} in {document['point']}s", parse_math=False)
    axes.set_ylabel("games")
    axes.yaxis.set_major_locator(MaxNLocator(integer=True))


def _draw_time(axes: Axes, document: Mapping[str, Any], rows: Sequence[Row]) -> None:
    means = [row["used"]["seconds"] / max(1, row["used"]["moves"]) for row in rows]
    axes.barh(range(len(rows)), means, color=WON, height=0.7)
    _name_rows(axes, rows)
    axes.set_xlabel("mean seconds per move")
    axes.grid(axis="x", alpha=0.3)


def _name_rows(axes: Axes, rows: Sequence[Row]) -> None:
    """Label the rows with the engines' names, best at the top."""
    names = [f"{_text(row['name'])}  {place}" for place, row in enumerate(rows, 1)]
    axes.set_yticks(range(len(rows)), names, parse_math=False)
    axes.set_ylim(len(rows) - 0.5, -0.5)


def _text(text: str) -> str:
    shown = printable(text)
    return shown if len(shown) <= LONGEST_NAME else f"{shown[: LONGEST_NAME - 1]}\u2026"


FIGURES = {
    "elo": _draw_elo,
    "crosstable": _draw_crosstable,
    "llr": _draw_llr,
    "margins": _draw_margins,
    "time": _draw_time,
}
