"""The notebooks of examples: each runs from its first cell to its last in a real kernel, and what it asserts holds."""

from __future__ import annotations

from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError

from tests.fakes.addons import is_deleted
from tests.fakes.processes import WAIT

EXAMPLES = Path(__file__).parents[2] / "scripts" / "site" / "examples"
NAMES = ("first_search", "ordering_and_pruning", "rate_your_engine", "train_an_agent")
LONG = ("rate_your_engine", "train_an_agent")
ADDONS = {"ordering_and_pruning": "lab", "train_an_agent": "agents"}  # the add-on that an example needs


def run(notebook: nbformat.NotebookNode, folder: Path) -> None:
    """Run every cell; the first that fails raises an error."""
    resources = {"metadata": {"path": str(folder)}}
    NotebookClient(notebook, timeout=WAIT, kernel_name="python3", resources=resources).execute()


@pytest.mark.filterwarnings("ignore")  # of the libraries that run a kernel
@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=pytest.mark.soak) if name in LONG else name for name in NAMES]
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


@pytest.mark.filterwarnings("ignore")
def test_an_example_whose_assertion_fails_is_found(tmp_path: Path) -> None:
    notebook = nbformat.read(EXAMPLES / "first_search.ipynb", as_version=4)
    notebook.cells[1].source += "\nassert position.discs['White'] == 0"
    with pytest.raises(CellExecutionError, match="AssertionError"):
        run(notebook, tmp_path)
