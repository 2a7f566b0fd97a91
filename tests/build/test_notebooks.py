"""Notebooks in a real kernel: what an analysis shows, and the examples, which run from the first cell to the last."""

from __future__ import annotations

from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

import quietmove
from quietmove.engine.errors import OptionError
from tests.fakes.addons import is_deleted
from tests.fakes.processes import WAIT

EXAMPLES = Path(__file__).parents[2] / "scripts" / "site" / "examples"
NAMES = ("alphazero", "first_search", "ordering_and_pruning", "rate_your_engine", "solve_othello", "train_an_agent")
QUICK = "first_search"
ADDONS = {"alphazero": "agents", "ordering_and_pruning": "lab", "train_an_agent": "agents"}  # the add-on each example needs


def run(notebook: nbformat.NotebookNode, folder: Path) -> None:
    """Run every cell; the first that fails raises an error."""
    resources = {"metadata": {"path": str(folder)}}
    NotebookClient(notebook, timeout=WAIT, kernel_name="python3", resources=resources).execute()


@pytest.mark.filterwarnings("ignore")  # warnings of the libraries that run a kernel
@pytest.mark.parametrize(
    "name", [name if name == QUICK else pytest.param(name, marks=pytest.mark.soak) for name in NAMES]
)
def test_an_example_runs(name: str, tmp_path: Path) -> None:
    if name in ADDONS and is_deleted(f"addons/{ADDONS[name]}"):
        pytest.skip(f"the add-on {ADDONS[name]} was deleted")
    notebook = nbformat.read(EXAMPLES / f"{name}.ipynb", as_version=4)
    nbformat.validate(notebook)
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    assert all(not cell.outputs and cell.execution_count is None for cell in code)
    run(notebook, tmp_path)
    assert [cell.execution_count for cell in code] == list(range(1, len(code) + 1))
    said = [output for cell in code for output in cell.outputs]
    assert any("data" in output for output in said)
    assert list(tmp_path.iterdir()) == []


def test_every_example_is_run() -> None:
    assert sorted(path.stem for path in EXAMPLES.glob("*.ipynb")) == sorted(NAMES)


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
        "quietmove.analyse(position, quietmove.Limit(depth=6), multipv=2).show();",
        "position",
    )
    found = {info.rank: info for info in quietmove.analyse(quietmove.Position(moves="f5 d6"), quietmove.Limit(depth=6), multipv=2)}
    assert whole.count("<svg ") == whole.count("<table") == 1
    assert whole.count("<tr") == 1 + 2 * 6
    assert f"best move: {found[1].move}" in whole
    for info in found.values():
        assert f">{info.score.value / 100:g}</text>" in whole
    assert f">{found[1].score.value / 100:g}</text>" not in plain


def test_show_needs_a_limit() -> None:
    with quietmove.analyse(quietmove.Position(), quietmove.Limit(infinite=True)) as search, pytest.raises(OptionError, match="waits for the end"):
        search.show()
