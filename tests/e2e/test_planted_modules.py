"""Modules that somebody else's folder has, under the names of those that every command imports: nothing runs them."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.fakes.processes import WAIT

PLANTED = ("click", "dask", "json", "multiprocessing", "quietmove")
SCRIPTS = Path(sys.executable).parent
ENGINES = ("--engine", "cmd=quietmove", "name=a", "depth=1", "--engine", "cmd=quietmove", "name=b", "depth=1")
COMMANDS = {
    "match": ("quietmove-referee", "match", *ENGINES, "--games", "2"),
    "compare": ("quietmove-tournament", "compare", "quietmove", f"{SCRIPTS}/quietmove", "--most-games", "4"),
}


@pytest.fixture
def mark(tmp_path: Path) -> Iterator[Path]:
    """Return a file that planted modules write, which stays absent."""
    yield tmp_path / "mark"
    assert not (tmp_path / "mark").exists(), (tmp_path / "mark").read_text()


def plant(folder: Path, mark: Path) -> None:
    """Put modules into a folder, each of which notes that it was imported."""
    folder.mkdir(exist_ok=True)
    for name in PLANTED:
        text = f"import sys\nopen({str(mark)!r}, 'a').write(f'{{__name__}}: {{sys.orig_argv}}\\n')\n"
        (folder / f"{name}.py").write_text(text)


@pytest.mark.parametrize("name", ["match", pytest.param("compare", marks=pytest.mark.soak)])
def test_a_command_and_its_processes_import_nothing_of_the_working_folder(
    tmp_path: Path, mark: Path, name: str
) -> None:
    run_among_planted(tmp_path, mark, COMMANDS[name])


def run_among_planted(tmp_path: Path, mark: Path, command: tuple[str, ...]) -> None:
    plant(tmp_path / "folder", mark)
    words = [str(SCRIPTS / command[0]), *command[1:]]
    run = subprocess.run(words, cwd=tmp_path / "folder", input="", capture_output=True, text=True, timeout=WAIT)
    assert "Traceback" not in run.stderr
    assert run.returncode in (0, 1), run.stderr
