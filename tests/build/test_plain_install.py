"""A plain installation from a checkout, used by programs that are started in that checkout."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

import quietmove
from tests.fakes.processes import WAIT

ROOT = Path(__file__).parents[2]
COMPILED = Path(quietmove.__file__).parents[1]  # the compiled modules of the installation under test
# Builds the wheel from the modules compiled here, because recompiling takes a minute.
BUILD = f"""
import build_backend, shutil
def copy_compiled(command, extension):
    target = command.get_ext_fullpath(extension.name)
    command.mkpath(build_backend.os.path.dirname(target))
    shutil.copy({str(COMPILED)!r} + "/" + command.get_ext_filename(extension.name), target)
def untranslated(modules, **options):
    return [build_backend.Extension(name, [build_backend.source_of(name)]) for name in (*modules, build_backend.SHARED)]
build_backend.translated = untranslated
build_backend.BuildExtensions.build_extension = copy_compiled
build_backend.build_wheel("dist")
"""
PLAYED = """
from pathlib import Path
import quietmove, sys
assert Path(quietmove.__file__).is_relative_to(sys.prefix), quietmove.__file__
position = quietmove.Position(moves="f5 d6")
print(quietmove.analyse(position, quietmove.Limit(depth=2)).best_move in position.legal_moves)
"""
NOTEBOOK = f"""
import nbformat, nbclient, warnings
warnings.simplefilter("ignore")  # of the libraries that run a kernel
notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell({PLAYED!r})])
nbclient.NotebookClient(notebook, timeout={WAIT}, kernel_name="python3").execute()
print(notebook.cells[0].outputs[0].text)
"""


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a checkout as a clone has it, with a plain installation in its ``.venv``."""
    top = tmp_path_factory.mktemp("checkout") / "quietmove"
    top.mkdir()
    for folder in ("engine", "referee", "tournament", "scripts", "src"):
        made = shutil.ignore_patterns("*.so", "*.c", "*.egg-info", "__pycache__")
        shutil.copytree(ROOT / folder, top / folder, symlinks=True, ignore=made)
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, top)
    environment = {**os.environ, "PYTHONPATH": str(top / "scripts")}
    python = top / ".venv" / "bin" / "python"
    pip = [sys.executable, "-m", "pip", "--python", python, "install", "-q", "--no-deps", "--no-index", "--no-compile"]
    for command in (
        [sys.executable, "-W", "ignore", "-c", BUILD],
        [sys.executable, "-m", "venv", "--without-pip", ".venv"],
        [*pip, "--find-links", "dist", "quietmove"],
    ):
        subprocess.run(command, cwd=top, env=environment, capture_output=True, check=True, timeout=WAIT)
    packages = Path(".venv", "lib", f"python{sysconfig.get_python_version()}", "site-packages")
    libraries = [path for path in sys.path if path.endswith("site-packages")]
    (top / packages / "dependencies.pth").write_text("\n".join(libraries))
    return top


def run(checkout: Path, *arguments: str, said: str = "") -> str:
    """Run the installation's Python in the checkout, and return its output."""
    command = [checkout / ".venv" / "bin" / "python", *arguments]
    environment = {name: value for name, value in os.environ.items() if name != "PYTEST_ADDOPTS"}
    done = subprocess.run(
        command, cwd=checkout, env=environment, input=said, capture_output=True, text=True, timeout=WAIT
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_programs_and_notebooks_in_a_checkout_import_the_installed_package(checkout: Path) -> None:
    assert run(checkout, "-c", PLAYED) == "True\n"
    assert run(checkout, "-", said=PLAYED) == "True\n"
    assert "bestmove " in run(checkout, "-m", "quietmove", said="go depth 2\n")
    (checkout / "test_mine.py").write_text(f"def test_mine():\n    exec({PLAYED!r})\n")
    assert "1 passed" in run(checkout, "-m", "pytest", "-q", "test_mine.py")
    assert run(checkout, "-c", NOTEBOOK) == "True\n\n"
