"""Builds in a checkout that contains earlier builds: files that no longer belong to the package are not installed."""

from __future__ import annotations

import importlib.util
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import tomllib
import zipfile
from pathlib import Path
from types import ModuleType

import pytest
from setuptools import Distribution

from tests.fakes.processes import WAIT

ROOT = Path(__file__).parents[2]
EXTENSION = sysconfig.get_config_var("EXT_SUFFIX")
MODULE = f"quietmove/engine/current{EXTENSION}"

OTHER_PYTHON = "current.cpython-399-other.so"
IN_PLACE = (f"current{EXTENSION}", f"renamed{EXTENSION}", OTHER_PYTHON)
BUILDS = """
import build_backend, os, tarfile
current = build_backend.Extension("quietmove.engine.current", ["src/quietmove/engine/current.c"])
build_backend.extensions = lambda processes: [current]
build_backend.build_wheel(".")
build_backend.build_editable("build")
tarfile.open(f'build/{build_backend.build_sdist("build")}').extractall("build/archive", filter="data")
os.chdir(next(os.scandir("build/archive")))
build_backend.build_wheel("..")
"""


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a small checkout after building a wheel and an editable one; an earlier build had other modules.

    The backend is called as an installer does.
    """
    top = tmp_path_factory.mktemp("checkout")
    for room in ("engine", "referee", "tournament", "addons"):
        (top / room).mkdir()
        (top / room / "__init__.py").touch()
        (top / "src" / "quietmove").mkdir(exist_ok=True, parents=True)
        (top / "src" / "quietmove" / room).symlink_to(Path("..", "..", room))
    (top / "src" / "quietmove" / "__init__.py").touch()
    (top / "engine" / "current.c").write_text("void *PyInit_current(void) { return 0; }\n")
    shutil.copytree(ROOT / "scripts", top / "scripts")
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, top / name)
    (top / "build").mkdir()
    for name in IN_PLACE:
        (top / "engine" / name).write_text("raise RuntimeError('of an earlier build')\n")
    environment = {**os.environ, "PYTHONPATH": str(top / "scripts")}
    command = [sys.executable, "-W", "ignore", "-c", BUILDS]
    subprocess.run(command, cwd=top, env=environment, capture_output=True, check=True, timeout=WAIT)
    return top


def test_a_build_leaves_no_copy_of_the_package(checkout: Path) -> None:
    assert {path.suffix for path in (checkout / "build").iterdir() if path.name != "archive"} == {".whl", ".gz"}
    assert not (next((checkout / "build" / "archive").iterdir()) / "build").exists()


def test_a_wheel_holds_no_module_of_an_earlier_build(checkout: Path) -> None:
    (wheel,) = checkout.glob("*.whl")
    names = [name.partition("purelib/")[2] or name for name in zipfile.ZipFile(wheel).namelist()]
    assert "quietmove/__init__.py" in names
    assert [name for name in names if "renamed" in name or name.endswith(EXTENSION)] == [MODULE]


def test_the_source_archive_builds_the_same_wheel(checkout: Path) -> None:
    wheels = [zipfile.ZipFile(next(folder.glob("*.whl"))) for folder in (checkout, checkout / "build" / "archive")]
    ours, theirs = ({each.filename for each in wheel.infolist()} for wheel in wheels)
    assert ours == theirs


def test_an_editable_installation_removes_compiled_modules_of_an_earlier_one(checkout: Path) -> None:
    built = {path.name: path.read_bytes() for path in (checkout / "engine").glob("*.so")}
    assert built.keys() == {OTHER_PYTHON, f"current{EXTENSION}"}
    assert b"of an earlier build" not in built[f"current{EXTENSION}"]


def test_builds_of_one_checkout_wait_for_each_other(checkout: Path, tmp_path: Path) -> None:
    program = f"{BUILDS.partition('build_backend.build_wheel')[0]}build_backend.build_wheel({str(tmp_path)!r})"
    environment = {**os.environ, "PYTHONPATH": str(checkout / "scripts")}
    command = [sys.executable, "-W", "ignore", "-c", program]
    output = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    builds = [subprocess.Popen(command, cwd=checkout, env=environment, **output) for _ in range(3)]
    assert [build.wait(WAIT) for build in builds] == [0, 0, 0]


@pytest.fixture
def backend(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.setattr(sys, "path", [*sys.path])  # a copy, because the module appends its folder
    location = importlib.util.spec_from_file_location("build_backend", ROOT / "scripts" / "build_backend.py")
    assert location is not None
    assert location.loader is not None
    backend = importlib.util.module_from_spec(location)
    location.loader.exec_module(backend)
    return backend


def test_the_compiler_of_the_wheel_needs_no_home(
    backend: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The fake zig compiles only if it can write to its cache."""
    (tmp_path / "ziglang").mkdir()
    (tmp_path / "ziglang" / "__init__.py").touch()
    (tmp_path / "ziglang" / "__main__.py").write_text(
        "import os\nopen(os.environ.get('ZIG_GLOBAL_CACHE_DIR', os.environ['HOME'] + '/.cache') + '/x', 'w')\n"
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    monkeypatch.setenv("HOME", str(tmp_path / "no" / "home"))
    monkeypatch.setenv("ZIG_GLOBAL_CACHE_DIR", "as it was before, afterwards")
    monkeypatch.delenv("ZIG_GLOBAL_CACHE_DIR")
    assert backend.zig_compiler() == [sys.executable, "-m", "ziglang", "cc"]


def test_a_compiler_that_is_named_and_does_not_work_is_an_error(
    backend: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Falling back to another compiler would make a wheel that may not run on the intended machines."""
    monkeypatch.setenv("CC", "no-such-compiler -O1")
    with pytest.raises(SystemExit, match="CC: must be a working C compiler, not 'no-such-compiler -O1'"):
        backend.system_compiler()


def test_without_a_compiler_one_sentence_says_what_to_install(
    backend: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(backend, "system_compiler", lambda: None)
    monkeypatch.setattr(backend, "zig_compiler", lambda: None)
    command = backend.BuildExtensions(Distribution())
    command.ensure_finalized()
    with pytest.raises(SystemExit, match=r"^no C compiler works here: install gcc .*apt install gcc python3-dev.*$"):
        command.run()


def test_a_checkout_without_symbolic_links_is_refused_with_one_sentence(tmp_path: Path) -> None:
    """Git with core.symlinks=false, and programs that unpack zip archives, write a link's target into a file."""
    shutil.copytree(ROOT / "scripts", tmp_path / "scripts")
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    (tmp_path / "src" / "quietmove").mkdir(parents=True)
    (tmp_path / "src" / "quietmove" / "engine").write_text("../../engine")
    command = [sys.executable, "-m", "pip", "install", "--no-build-isolation", "--no-deps", "--no-index"]
    done = subprocess.run(
        [*command, "--target", "there", "."], cwd=tmp_path, capture_output=True, text=True, timeout=WAIT
    )
    assert done.returncode == 1
    assert "Traceback" not in done.stderr
    assert re.search(
        r"^ *src/quietmove/engine: must be a symbolic link .*core\.symlinks=true", done.stderr, re.MULTILINE
    )


@pytest.mark.parametrize(("platform", "expected"), [("linux-x86_64", True), ("linux-aarch64", False)])
def test_vectors_are_compiled_for_the_processor_that_is_aimed_at(
    backend: ModuleType, monkeypatch: pytest.MonkeyPatch, platform: str, expected: bool
) -> None:
    monkeypatch.setenv("_PYTHON_HOST_PLATFORM", platform)
    assert backend.has_vectors() is expected


def test_a_wheel_for_all_pythons_is_for_those_that_the_package_is_for(
    backend: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    wanted = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["requires-python"]
    assert wanted == f">={backend.OLDEST[0]}.{backend.OLDEST[1]}"
    monkeypatch.setenv("QUIETMOVE_BUILD", "abi3")
    command = backend.Wheel(Distribution())
    command.finalize_options()
    assert command.py_limited_api == "cp" + wanted.removeprefix(">=").replace(".", "")


def test_wheels_are_for_processors_that_are_known() -> None:
    done = subprocess.run([ROOT / "scripts" / "wheels", "mips"], capture_output=True, text=True, timeout=WAIT)
    assert (done.returncode, done.stderr) == (2, "scripts/wheels: must be x86_64 or aarch64, not mips\n")
