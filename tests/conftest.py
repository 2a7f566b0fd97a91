"""What tests of every kind share."""

from __future__ import annotations

import gc
import os
import re
import signal
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

from quietmove.engine.common.entry import handled_by
from quietmove.engine.games.base import Game
from quietmove.engine.games.registry import get_game
from tests.fakes.addons import AddonTests

TESTS = Path(__file__).parent
ROOT = TESTS.parent
SMOKE = re.compile(r"@pytest\.mark\.smoke\n(?:@.*\n)*def (\w+)")
# An example's duration depends on how busy the machine is, not on the program.
settings.register_profile("untimed", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("untimed")


def pytest_pycollect_makemodule(module_path: Path, parent: pytest.Collector) -> pytest.Module:
    module: pytest.Module = AddonTests.from_parent(parent, path=module_path)
    return module


def pytest_configure() -> None:
    """Give the processes that tests start an ordinary shell's signals and variables.

    A background command ignores Ctrl-C, and one under nohup a closed terminal. Variables such as PYTHONUNBUFFERED
    change what a child Python does; only those that say where Python is stay.
    """
    for name in [name for name in os.environ if name.startswith("PYTHON")]:
        if name not in ("PYTHONHOME", "PYTHONPATH"):
            del os.environ[name]
    for number, handler in ((signal.SIGINT, signal.default_int_handler), (signal.SIGHUP, signal.SIG_DFL)):
        if signal.getsignal(number) is signal.SIG_IGN:
            signal.signal(number, handler)
    gc.disable()  # until all tests are collected: collection creates many objects and drops few


def pytest_collection_finish() -> None:
    """Exempt the collected tests and the imported modules from garbage collection, which would scan them repeatedly."""
    gc.freeze()
    gc.enable()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Start slow tests first, so that others run while they wait, and the smoke tests before them."""
    items.sort(key=lambda item: item.get_closest_marker("slow") is None)
    items.sort(key=lambda item: item.get_closest_marker("smoke") is None)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """With ``--dist loadfile``, run the smoke tests of all files in one process, where they share a browser."""
    from xdist.scheduler import LoadFileScheduling

    class Scheduling(LoadFileScheduling):
        def _split_scope(self, nodeid: str) -> str:
            path, _, name = nodeid.partition("::")
            return "smoke" if name in smoke_tests(path) else path

    return Scheduling(config, log) if config.getoption("dist") == "loadfile" else None


@cache
def smoke_tests(path: str) -> frozenset[str]:
    """Return the names of a file's tests marked `smoke`, for the process that only schedules tests."""
    return frozenset(SMOKE.findall((ROOT / path).read_text(encoding="utf-8")))


@pytest.fixture(scope="session", autouse=True)
def _own_folder_for_data(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Leave the user's folder for data alone, in this process and in all that are started."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_DATA_HOME", str(tmp_path_factory.mktemp("data")))
        yield


@pytest.fixture(scope="session", autouse=True)
def _patient_sessions() -> Iterator[None]:
    """Let a search of this process take longer to end than a process may: other threads may have the processors."""
    with pytest.MonkeyPatch.context() as patch:
        for name in ("STOP_PATIENCE", "CLOSE_PATIENCE"):
            patch.setattr(f"quietmove.engine.session.{name}", 60.0)
        yield


@pytest.fixture(autouse=True)
def _handler_of_interrupts() -> Iterator[None]:
    """Restore Python's handler of Ctrl-C, which commands replace; otherwise a later interrupt ends the test process."""
    with handled_by(signal.default_int_handler, [signal.SIGINT]):
        yield


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return an empty folder, the working directory of the test."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture(scope="session")
def documents() -> dict[str, str]:
    """The text of each document, by its path from the top of the checkout, such as ``engine/README.md``."""
    folders = (ROOT / room for room in ("src", "engine", "referee", "tournament", "addons"))
    paths = [*ROOT.glob("*.md"), *(path for folder in folders for path in folder.rglob("*.md"))]
    return {path.relative_to(ROOT).as_posix(): path.read_text(encoding="utf-8") for path in sorted(paths)}


@pytest.fixture(scope="session")
def othello() -> Game:
    return get_game("othello")
