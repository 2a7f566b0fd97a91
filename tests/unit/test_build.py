"""A build in a checkout where others were built before: what no longer belongs to the package is not installed."""

from __future__ import annotations

import importlib.util
import os
import shutil
import subprocess
import sys
import sysconfig
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
WAIT = 240  # seconds after which a process that has not ended fails the test
EXTENSION = sysconfig.get_config_var("EXT_SUFFIX")
BUILT = f"build/lib.{sysconfig.get_platform()}-{sys.implementation.cache_tag}/quietmove/engine"


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """Return a copy of what is needed to build, without what was built."""
    ignored = shutil.ignore_patterns("*.so", "*.c", "__pycache__", "*.egg-info")
    for name in ("engine", "referee", "tournament", "quietmove", "scripts"):
        shutil.copytree(ROOT / name, tmp_path / name, symlinks=True, ignore=ignored)
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, tmp_path / name)
    return tmp_path


def build(checkout: Path, hook: str) -> None:
    """Call a hook of the build backend, as an installer does, without a compiler."""
    subprocess.run(
        [sys.executable, "-W", "ignore", "-c", hook],
        cwd=checkout,
        env={**os.environ, "QUIETMOVE_BUILD": "python", "PYTHONPATH": str(checkout / "scripts")},
        capture_output=True,
        check=True,
        timeout=WAIT,
    )


def test_a_wheel_holds_no_module_of_an_earlier_build(checkout: Path) -> None:
    earlier = [checkout / BUILT / "games" / name for name in ("renamed.py", f"base{EXTENSION}")]
    earlier[0].parent.mkdir(parents=True)
    for path in earlier:
        path.write_text("raise RuntimeError('of an earlier build')\n")
    build(checkout, "import build_backend; build_backend.build_wheel('.')")
    (wheel,) = checkout.glob("*.whl")
    names = [name.partition("purelib/")[2] or name for name in zipfile.ZipFile(wheel).namelist()]
    assert {"quietmove/engine/games/base.py", "quietmove/engine/games/base.pxd", "quietmove/py.typed"} <= set(names)
    assert [name for name in names if "renamed" in name or name.endswith(EXTENSION)] == []


def test_a_build_in_place_removes_compiled_modules_of_an_earlier_one(checkout: Path) -> None:
    games = checkout / "engine" / "games"
    other_python = games / "base.cpython-399-other.so"
    for path in (games / f"base{EXTENSION}", games / f"renamed{EXTENSION}", other_python):
        path.write_text("of an earlier build")
    setup = "import sys; sys.argv = ['setup.py', '-q', 'build_ext', '--inplace']; import setuptools; setuptools.setup()"
    build(checkout, setup)
    assert list(games.glob("*.so")) == [other_python]


def test_what_is_current_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "path", [*sys.path])  # to which the module adds its folder
    location = importlib.util.spec_from_file_location("build_backend", ROOT / "scripts" / "build_backend.py")
    assert location is not None
    assert location.loader is not None
    backend = importlib.util.module_from_spec(location)
    location.loader.exec_module(backend)
    (tmp_path / "package").mkdir()
    files = [tmp_path / "package" / name for name in ("kept.py", "kept.so", "stale.so", "stale.py")]
    for path in files:
        path.touch()
    assert backend.remove_stale(tmp_path, "*.so", files[:2]) == [files[2]]
    assert sorted(tmp_path.rglob("*.*")) == sorted([files[0], files[1], files[3]])
