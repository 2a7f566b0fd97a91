"""The figures of the laboratory: what is drawn where, and the files that hold them."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from quietmove.addons.lab import (
    budget,
    comparison,
    deals,
    dice,
    horizon,
    impartial,
    knuth_moore,
    mcts,
    ordering,
    pruning,
)
from quietmove.addons.shared.plot import draw_axes, draw_to
from quietmove.addons.shared.report import Figure, Report

PNG = b"\x89PNG\r\n\x1a\n"
REPORTS = {
    "budget": lambda: budget.measure("othello", None, (10, 200)),
    "deals": lambda: deals.measure("whist", 2, 3, 2, (2, 5)),
    "dice": lambda: dice.measure("einstein", 2),
    "horizon": lambda: horizon.measure(3, 1, 2),
    "knuth-moore": lambda: knuth_moore.measure(1, 2, [(2, 4), (3, 3)]),
    "mcts": lambda: mcts.measure("tictactoe", 2, 2, 1, 70, (50, 500)),
    "nim": lambda: impartial.measure_nim(["1,2", "30,30,30,30,30,29"]),
    "ordering": lambda: ordering.measure("connect", 4),
    "pruning": lambda: pruning.measure("tictactoe", 4, 2),
    "pvs": lambda: comparison.measure_pvs("othello", 4),
    "table": lambda: comparison.measure_table("othello", 4),
}


def drawn(report: Report) -> Iterator[tuple[Figure, Any]]:
    """Yield each diagram of a report with what was drawn of it."""
    from matplotlib.figure import Figure as Canvas

    for wanted in report.figures:
        axes = Canvas().add_subplot()
        draw_axes(axes, report, wanted)
        yield wanted, axes


def legend(axes: Any) -> list[str]:
    return list(axes.get_legend_handles_labels()[1])


@pytest.mark.parametrize("name", REPORTS)
def test_a_figure_has_a_name_for_each_axis_and_series_and_every_number_of_the_table(name: str) -> None:
    report = REPORTS[name]()
    assert report.figures
    for wanted, axes in drawn(report):
        assert axes.get_xlabel()
        assert axes.get_ylabel() == wanted.y_label
        names = legend(axes)
        assert len(set(names)) == len(names) >= len(wanted.ys)
        assert (axes.get_legend() is None) == (len(names) == 1)
        heights = [y for line in axes.lines for y in line.get_ydata()] if wanted.style != "bars" else []
        heights += [bar.get_height() for bars in axes.containers if hasattr(bars, "patches") for bar in bars]
        cells = [cell for name in wanted.ys for cell in report.column(name)]
        numbers = [cell for cell in cells if isinstance(cell, int | float) and (cell or not wanted.log)]
        assert sorted(heights)[-len(numbers) :] == pytest.approx(sorted(numbers))


def test_a_figure_is_a_vector_or_a_pixel_graphic_by_its_ending(tmp_path: Path) -> None:
    report = REPORTS["nim"]()
    draw_to(report, tmp_path / "figure.svg")
    assert ElementTree.parse(tmp_path / "figure.svg").getroot().tag.endswith("svg")
    draw_to(report, tmp_path / "figure.PNG")
    assert (tmp_path / "figure.PNG").read_bytes().startswith(PNG)


def test_each_game_has_lines_of_its_own() -> None:
    report = REPORTS["horizon"]()
    ((_, axes),) = drawn(report)
    assert legend(axes) == [
        f"{game}: {way} quiescence" for game in ("capture", "othello") for way in ("without", "with")
    ]
    assert [list(line.get_xdata()) for line in axes.lines] == [[1, 2]] * 4
    shown = [row[2] for row in report.rows if row[0] == "othello"]
    assert list(axes.lines[2].get_ydata()) == shown


def test_the_error_of_drawn_deals_stands_beside_one_over_the_root() -> None:
    report = REPORTS["deals"]()
    deals, law = report.column("deals"), [float(str(cell)) for cell in report.column("1/√N")]
    assert [law[0] / each for each in law] == pytest.approx([(int(str(n)) / 2) ** 0.5 for n in deals], rel=0.01)
