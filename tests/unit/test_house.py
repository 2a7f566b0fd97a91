"""The layout: what import-linter cannot see, and what must not be loaded at start. The arrows are in pyproject.toml."""

from __future__ import annotations

import os
import re
import runpy
import shutil
import subprocess
import sys
from importlib.machinery import EXTENSION_SUFFIXES
from itertools import product
from pathlib import Path

import pytest

from quietmove.engine.common.stale import StaleFinder
from tests.fakes.addons import is_deleted
from tests.fakes.processes import WAIT

ROOT = Path(__file__).parents[2]
PACKAGE = "quietmove"
FOLDERS = ("engine", "referee", "tournament", "addons")  # folders of the checkout that are packages of PACKAGE
CIMPORT = re.compile(rf"(?:from|cimport) (?:cython\.cimports\.)?{PACKAGE}\.(\w+)")


def git(*arguments: str) -> str:
    """Return the output of git, which knows the files that belong to the project."""
    program = shutil.which("git")
    if program is None or not (ROOT / ".git").exists():
        pytest.skip("only git knows which files belong to the project, and this is not a checkout")
    done = subprocess.run([program, *arguments], cwd=ROOT, capture_output=True, text=True, timeout=WAIT, check=False)
    assert done.stderr == ""
    return done.stdout


def loaded(code: str) -> set[str]:
    """Return the modules of this package that are loaded after ``code`` has run in a new process."""
    listing = f"import sys\n{code}\nprint(*(name for name in sys.modules if name.startswith({PACKAGE!r})))"
    done = subprocess.run([sys.executable, "-c", listing], capture_output=True, check=True, text=True, timeout=WAIT)
    return set(done.stdout.split()) - {f"{PACKAGE}.engine.cython_utilities"}  # all compiled modules share it


def test_one_package_contains_everything() -> None:
    bare = rf"^[[:space:]]*(from|c?import) ({'|'.join(FOLDERS)})([^[:alnum:]_]|$)"
    assert git("grep", "-lE", bare, "--", "*.py", "*.pxd") == ""


def test_compiled_modules_of_the_card_cimport_the_engine_alone() -> None:
    """import-linter reads neither ``.pxd`` files nor cimports."""
    declarations = [path for folder in FOLDERS[:3] for path in (ROOT / folder).rglob("*.pxd")]
    assert len(declarations) > 20
    sources = {path: path.read_text(encoding="utf-8") for path in declarations}
    sources |= {
        source: source.read_text(encoding="utf-8")
        for path in declarations
        if (source := path.with_suffix(".py")).exists()
    }
    wrong = {str(path): rooms for path, text in sources.items() if (rooms := set(CIMPORT.findall(text)) - {"engine"})}
    assert wrong == {}


def test_the_registry_of_games_loads_no_game() -> None:
    games = ("engine.games", "engine.games.base", "engine.games.registry", "engine.games.rules")
    common = (
        "engine.common",
        "engine.common.stale",
        "engine.common.addons",
        "engine.common.errors",
        "engine.common.text",
    )
    expected = {PACKAGE, *(f"{PACKAGE}.{name}" for name in ("engine", "engine.errors", *common, *games))}
    assert loaded("import quietmove.engine.games.registry") == expected


def test_judging_a_game_loads_no_search_beforehand() -> None:
    names = loaded("import quietmove.referee.game.host, quietmove.tournament.playing.missing_games")
    assert f"{PACKAGE}.engine.games.base" in names
    assert not {name for name in names if "search" in name or "solver" in name or "session" in name}


def test_an_add_on_costs_nothing_until_it_is_used() -> None:
    """Listing the add-ons imports their ``addon`` modules and nothing else of them."""
    addons = sorted(path.parent.name for path in (ROOT / "addons").glob("*/addon.py"))
    names = loaded("from quietmove.engine.common.addons import installed; installed()")
    own = {name for name in names if name.startswith(f"{PACKAGE}.addons.")}
    assert own == {f"{PACKAGE}.addons.{name}{end}" for name in addons for end in ("", ".addon")}


def test_a_compiled_module_that_is_older_than_its_source_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Also a build for processors with vectors, whose source is one folder above."""
    (tmp_path / "v3").mkdir()
    for path in (tmp_path / "move.py", tmp_path / "move.pxd"):
        path.touch()
    for folder, changed in product((tmp_path, tmp_path / "v3"), ("move.py", "move.pxd", "")):
        built = folder / f"move{EXTENSION_SUFFIXES[0]}"
        built.touch()
        for path in (tmp_path / "move.py", tmp_path / "move.pxd"):
            os.utime(path, (2e9, 2e9) if path.name == changed else (1e9, 1e9))
        spec = StaleFinder.find_spec(f"{PACKAGE}.move", [str(folder)])
        assert spec is not None
        assert spec.origin == str(built)
        expected = f"note: {tmp_path / 'move.py'} has changed since it was compiled; run " if changed else ""
        assert capsys.readouterr().err.startswith(expected)
    assert StaleFinder.find_spec("move", [str(tmp_path)]) is None


def test_every_fault_for_testing_the_tests_can_be_made() -> None:
    script = runpy.run_path(str(ROOT / "scripts" / "mutants"))
    faults = [each for each in script["all_mutants"]() if not any(map(is_deleted, (each.file, *each.tests)))]
    assert len({each.name for each in faults}) == len(faults) > 30
    for fault in faults:
        fault.mutated()


def test_no_file_names_a_path_of_one_machine() -> None:
    folders = "work", "tmp", "root", "home", "Users"
    candidates = git("grep", "-lF", *(f"-e/{folder}/" for folder in folders)).splitlines()
    machine = re.compile(rf"(?<![\w.\-~])/(?:{'|'.join(folders)})/")
    assert [name for name in candidates if machine.search((ROOT / name).read_text(errors="replace"))] == []


def test_the_age_of_each_measured_table_is_known(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(ROOT / "scripts"))
    script = runpy.run_path(str(ROOT / "scripts" / "measure_all"))
    assert script["CODE"].keys() == script["TABLES"].keys()
    folders = {folder for code in script["CODE"].values() for folder in code}
    assert [folder for folder in folders if not (ROOT / folder).exists() and not is_deleted(folder)] == []
