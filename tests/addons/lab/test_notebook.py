"""What a notebook shows, in a real kernel."""

from __future__ import annotations

import re

import nbformat
import pytest
from nbclient import NotebookClient

import quietmove
from quietmove.engine.errors import IllegalMoveError, OptionError
from tests.fakes.processes import WAIT


def outputs(*cells: str) -> list[list[str]]:
    """Run cells in a new kernel; return the HTML that each shows."""
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in cells])
    NotebookClient(notebook, timeout=WAIT, kernel_name="python3").execute()
    return [
        [each["data"].get("text/html", "") for each in cell["outputs"] if "data" in each] for cell in notebook.cells
    ]


@pytest.mark.filterwarnings("ignore")  # warnings of the libraries that run a kernel
def test_an_analysis_is_shown_while_it_runs() -> None:
    _, (whole,), (plain,) = outputs(
        "import quietmove; position = quietmove.Position(moves='f5 d6')",
        "quietmove.analyse(position, depth=6, multipv=2).show();",
        "position",
    )
    found = {info.rank: info for info in quietmove.analyse(quietmove.Position(moves="f5 d6"), depth=6, multipv=2)}
    assert whole.count("<svg ") == whole.count("<table") == 1
    assert whole.count("<tr") == 1 + 2 * 6
    assert f"best move: {found[1].move}" in whole
    for info in found.values():
        assert f">{info.score / 100:g}</text>" in whole
    assert f">{found[1].score / 100:g}</text>" not in plain


def test_values_stand_in_squares_or_at_arrows() -> None:
    position = quietmove.Position(moves="f5 d6")
    plain, valued = position.svg() or "", position.svg({"c3": 120, "C5": -30}) or ""
    assert plain.count("<circle") - valued.count("<circle") == 2
    assert re.findall(r">(1\.2|-0\.3)</text>", valued) == ["1.2", "-0.3"]
    moved = quietmove.Position("capture").svg({"7-6": 0, "1-2": -100}) or ""
    assert moved.count('stroke="#e8a33d"') == 2
    assert ">-1</text>" in moved
    with pytest.raises(IllegalMoveError, match="'a1' is not legal here"):
        position.svg({"a1": 0})


def test_show_needs_a_limit() -> None:
    with quietmove.analyse(quietmove.Position()) as search, pytest.raises(OptionError, match="waits for the end"):
        search.show()
