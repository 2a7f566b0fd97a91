"""The house as it was designed: who may import whom, and what the search may know."""

from __future__ import annotations

import ast
import re
import shutil
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

from tests.fakes.processes import WAIT

ROOT = Path(__file__).parents[2]
PACKAGE = "quietmove"
FOLDERS = ("engine", "referee", "tournament")  # folders of the checkout, which are packages of PACKAGE
ROOMS = ("common", *FOLDERS)
NAME = re.compile(rf"{PACKAGE}\.(?:{'|'.join(ROOMS)})(?:\.\w+)*")

# What a room may import, directly or inside a function, beside `common`, which every room may; names without
# `quietmove.`. A module belongs to the room with the longest name that is its own or one of its packages'.
MAY_IMPORT: dict[str, set[str]] = {
    room: set(allowed.split())
    for room, allowed in {
        "common": "",
        "engine": "",
        "engine.errors": "",
        "engine.files": "engine.errors",
        "engine.levels": "",
        "engine.memory": "",
        "engine.move_text": "",
        "engine.prefetch_header": "",
        "engine.values": "",
        "engine.games.picture": "",
        "engine.games.base": "engine.games.picture engine.errors",
        "engine.games.rules": "engine.games.base",
        "engine.games": "engine.games.base engine.games.picture engine.memory engine.prefetch_header engine.files"
        " engine.move_text engine.errors",
        "engine.games.registry": "engine.games engine.games.base engine.games.rules engine.errors",
        "engine.shared_options": "engine.games.registry engine.errors engine.version",
        "engine.version": "engine.games",
        "engine.search": "engine.games.base engine.levels engine.memory engine.prefetch_header engine.values"
        " engine.errors",
        "engine.perft": "engine.games.base",
        "engine.solver": "engine.search engine.games.base engine.values",
        "engine.tools.workers": "engine.errors",
        "engine.tools.trees": "engine.search engine.games.base engine.values engine.errors",
        "engine.tools.simulations": "engine.search engine.games.base engine.values",
        "engine.session": "engine.levels engine.memory engine.search engine.perft engine.games.base"
        " engine.games.registry engine.values engine.errors",
        "engine.protocol": "engine.games.picture engine.games.rules engine.levels engine.session engine.search"
        " engine.games.base engine.games.registry engine.values engine.move_text engine.errors",
        "referee": "engine.games engine.games.base engine.games.rules engine.games.registry engine.games.picture"
        " engine.memory engine.protocol engine.files engine.levels engine.errors engine.shared_options engine.solver"
        " engine.tools.database engine.tools.practice engine.tools.simulations engine.tools.trees engine.tools.workers",
    }.items()
}
# The rooms of the tournament, each of which may import those before it, the referee, and these parts of the engine.
TOURNAMENT = (
    *("errors", "definition", "games", "statistics", "formats", "store", "config", "options", "reporting", "playing"),
    *("comparing", "web", "report_page", "hall", "cli", "__main__"),
)
BELOW_THE_TOURNAMENT = {
    *("referee", "engine.games", "engine.games.base", "engine.games.registry", "engine.search", "engine.values"),
    *("engine.errors", "engine.files", "engine.shared_options"),
}
MAY_IMPORT |= {
    f"tournament.{room}": BELOW_THE_TOURNAMENT | {f"tournament.{lower}" for lower in TOURNAMENT[:place]}
    for place, room in enumerate(TOURNAMENT)
}
MAY_IMPORT["tournament"] = set()
# The top of the engine: its interface for scripts and the tools built on it; no room below imports them.
TOP = ("engine.api", "engine.tools", "engine.tools.database", "engine.tools.practice")
MAY_IMPORT |= {room: {each for each in (*MAY_IMPORT, *TOP) if each.startswith("engine")} for room in TOP}
# The referee's interface for scripts takes the positions of the engine's.
MAY_IMPORT["referee.api"] = {"referee", "engine.api", "engine.errors"}
# A game by hand is a match with a person in a seat, who may ask the engine for its analysis.
BY_HAND = "referee.play"
MAY_IMPORT[BY_HAND] = {"referee", "referee.api", *(each for each in MAY_IMPORT if each.startswith("engine"))}
# The modules directly in `quietmove`: the package's names, and the command that starts everything. No room imports one.
FACE = "face"
MAY_IMPORT[FACE] = set(MAY_IMPORT)


def module_name(path: Path) -> str:
    parts = path.relative_to(ROOT).with_suffix("").parts
    parts = parts[1:] if parts[0] == "src" else parts
    if parts[0] == PACKAGE:
        parts = parts[1:] if parts[1] in ROOMS else (FACE, *parts[1:])
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def modules() -> dict[str, list[Path]]:
    """Return the files of each module: its source, and its declarations for Cython."""
    found: dict[str, list[Path]] = {}
    folders = [ROOT / name for name in (*FOLDERS, f"src/{PACKAGE}/common")]
    top = (ROOT / "src" / PACKAGE).glob("*.py")
    for path in sorted([*top, *(path for folder in folders for path in folder.rglob("*.p*"))]):
        if path.suffix in (".py", ".pxd"):
            found.setdefault(module_name(path), []).append(path)
    return found


def own_name(name: str) -> str | None:
    """Return the module that ``name`` stands for, without the package's name, if it is ours."""
    package, _, rest = name.removeprefix("cython.cimports.").partition(".")
    if package != PACKAGE:
        return None
    return rest if rest.partition(".")[0] in ROOMS else f"{FACE}.{rest}"


@cache
def python_imports(source: str, module: str, is_package: bool) -> frozenset[str]:
    """Return our own modules that ``source`` imports anywhere, or names as a whole text (a late import by name)."""
    names: set[str] = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ""
            if node.level:
                here = f"{PACKAGE}.{module}".split(".")
                up = here[: len(here) - node.level + is_package]
                base = ".".join([*up, base] if base else up)
            names |= {f"{base}.{alias.name}" for alias in node.names}
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and NAME.fullmatch(node.value):
            names.add(node.value)
    return frozenset(own for name in names if (own := own_name(name)))


@cache
def declared_imports(source: str) -> frozenset[str]:
    """Return our own modules that a ``.pxd`` imports."""
    names: set[str] = set()
    for line in source.splitlines():
        if match := re.match(r"\s*from\s+([\w.]+)\s+c?import\s+(.+)", line):
            names |= {f"{match[1]}.{name.split()[0].strip('(,')}" for name in match[2].split(",")}
        elif match := re.match(r"\s*c?import\s+(.+)", line):
            names |= {name.split()[0] for name in match[1].split(",")}
    return frozenset(own for name in names if (own := own_name(name)))


def imports() -> dict[str, set[str]]:
    """Return for each module the modules of ours that it imports."""
    files = modules()
    graph: dict[str, set[str]] = {}
    for module, paths in files.items():
        names: set[str] = set()
        for path in paths:
            source = path.read_text(encoding="utf-8")
            is_package = path.name == "__init__.py"
            names |= declared_imports(source) if path.suffix == ".pxd" else python_imports(source, module, is_package)
        graph[module] = {longest(name, set(files)) for name in names} - {"", module}
    return graph


def longest(name: str, known: set[str]) -> str:
    """Return the longest start of the dotted ``name`` that is ``known``, or an empty text."""
    while name and name not in known:
        name = name.rpartition(".")[0]
    return name


def wrong_arrows(graph: dict[str, set[str]]) -> list[str]:
    """Return the imports that the design does not allow."""
    wrong = []
    for module, imported in graph.items():
        room = longest(module, set(MAY_IMPORT))
        for other in sorted(imported):
            target = longest(other, set(MAY_IMPORT))
            if target not in (room, "common", *MAY_IMPORT[room]):
                wrong.append(f"{module} -> {other}")
    return wrong


def reached(graph: dict[str, set[str]], start: str) -> set[str]:
    """Return every module that is loaded, sooner or later, because of ``start`` and the modules below it."""
    return reached_from(graph, {module for module in graph if module == start or module.startswith(f"{start}.")})


def tracked() -> list[str]:
    git = shutil.which("git")
    if git is None or not (ROOT / ".git").exists():
        pytest.skip("the files that belong to the project are known to git alone, and this is no checkout")
    listed = subprocess.run([git, "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True, text=True, timeout=WAIT)
    return [name for name in listed.stdout.split("\0") if name]


def test_every_import_follows_an_arrow() -> None:
    graph = imports()
    assert len(graph) > 50
    assert wrong_arrows(graph) == []
    wrong = {"engine.search.node": {"engine.games.othello.board"}, "tournament.store.store": {"tournament.playing"}}
    assert wrong_arrows(wrong) == [f"{module} -> {min(imported)}" for module, imported in wrong.items()]


@pytest.mark.parametrize(
    ("module", "source", "found"),
    [
        ("engine.errors", "import quietmove.engine.values", "engine.values"),
        ("engine.games.base", "def late():\n    from quietmove.engine import values", "engine.values"),
        ("engine.games.othello.game", "from ...search import table", "engine.search.table"),
        ("engine.search.node", "from cython.cimports.quietmove.engine.games import nim", "engine.games.nim"),
        ("engine.games.othello.board", "from quietmove.cli import main", "face.cli.main"),
        ("referee.game.host", "MODULE = 'quietmove.engine.search.table'", "engine.search.table"),
        ("engine.search.node.pxd", "from quietmove.engine.games.nim cimport Nim", "engine.games.nim.Nim"),
        ("engine.search.table.pxd", "cimport quietmove.engine.session", "engine.session"),
    ],
)
def test_an_import_is_found_however_it_is_written(module: str, source: str, found: str) -> None:
    is_declared = module.endswith(".pxd")
    assert found in (declared_imports(source) if is_declared else python_imports(source, module, is_package=False))


def circles(graph: dict[str, set[str]]) -> list[list[str]]:
    """Return the groups of modules that import each other, late imports counted."""
    below = {module: reached_from(graph, imported) for module, imported in graph.items()}
    groups = {tuple(sorted({module, *(o for o in below[module] if module in below[o])})) for module in graph}
    return [list(group) for group in sorted(groups) if len(group) > 1]


def reached_from(graph: dict[str, set[str]], start: set[str]) -> set[str]:
    """Return the modules of ``start`` and all that they import, directly or not."""
    todo, seen = list(start), set[str]()
    while todo:
        module = todo.pop()
        if module not in seen:
            seen.add(module)
            todo.extend(graph[module])
    return seen


def test_no_modules_import_each_other_in_a_circle() -> None:
    assert circles(imports()) == []


def test_a_circle_is_found() -> None:
    graph = {"a": {"b"}, "b": {"c"}, "c": {"b", "d"}, "d": set()}
    assert circles(graph) == [["b", "c"]]


def test_one_package_holds_everything() -> None:
    bare = re.compile(rf"^\s*(?:from|c?import) (?:{'|'.join(FOLDERS)})\b", re.MULTILINE)
    named = [name for name in tracked() if name.endswith((".py", ".pxd")) and bare.search((ROOT / name).read_text())]
    assert named == []
    for room in FOLDERS:
        assert (ROOT / "src" / PACKAGE / room).samefile(ROOT / room)


def test_the_registry_of_games_loads_none_of_them() -> None:
    listing = (
        "import sys, quietmove.engine.games.registry; print(*(n for n in sys.modules if n.startswith('quietmove')))"
    )
    done = subprocess.run([sys.executable, "-c", listing], capture_output=True, check=True, text=True, timeout=WAIT)
    games = ("engine.games", "engine.games.base", "engine.games.registry", "engine.games.rules")
    ours = ("common", "common.addons", "common.errors", "common.text", "engine", "engine.errors", *games)
    found = set(done.stdout.split()) - {f"{PACKAGE}.engine.cython_utilities"}  # of the compiled modules
    assert found == {PACKAGE, *(f"{PACKAGE}.{name}" for name in ours)}


def test_judging_a_game_loads_no_search_beforehand() -> None:
    listing = (
        "import sys, quietmove.referee.game.host; print(*(n for n in sys.modules if 'search' in n or 'solver' in n))"
    )
    done = subprocess.run([sys.executable, "-c", listing], capture_output=True, check=True, text=True, timeout=WAIT)
    assert done.stdout.split() == []


EXPLAIN = ("engine.tools.analysis.report", "engine.tools.practice.answers", "engine.tools.practice.reviewing")


def test_a_referee_and_a_tournament_load_no_search() -> None:
    """But for the solver, the player in this process, and the trees of the page that draws how a search works.

    Each is imported where it is asked for, and by these modules. The command that finds openings searches itself.
    """
    graph = imports()
    del graph["tournament.config.openings_command"]
    for late, *importers in (
        ("engine.solver", "referee.game.adjudicator", "referee.game.usual_level"),
        ("engine.tools.practice.answers", "referee.game.practice"),
        ("engine.tools.practice.reasons", *EXPLAIN, "referee.web.analysis"),
        ("engine.tools.practice.openings",),
        ("engine.protocol.player", "referee.seats.in_process"),
        ("engine.tools.trees", "referee.web.trees"),
        ("engine.tools.simulations", "referee.web.trees"),
    ):
        assert sorted(module for module, imported in graph.items() if late in imported) == importers
        for importer in importers:
            graph[importer].remove(late)
    by_hand = {module for module in graph if longest(module, {BY_HAND, "referee.api"})}
    for package in ("referee", "tournament"):
        loaded = reached({module: graph[module] - by_hand for module in graph if module not in by_hand}, package)
        assert "engine.games.base" in loaded
        assert not {name for name in loaded if name.startswith(("engine.search", "engine.session"))}


def test_no_file_names_a_path_of_one_machine() -> None:
    machine = re.compile(rb"(?<![\w.\-~])/(?:" + b"|".join((b"work", b"tmp", b"root", b"home", b"Users")) + rb")/")
    named = [name for name in tracked() if (ROOT / name).is_file() and machine.search((ROOT / name).read_bytes())]
    assert named == []


# What Playwright reads of a page at once, without waiting for the effect of what was done before.
READS = {"inner_text", "all_inner_texts", "text_content", "all_text_contents", "inner_html", "input_value", "count"}
READS |= {"get_attribute", "bounding_box", *(f"is_{state}" for state in ("visible", "hidden", "enabled", "checked"))}


def hasty_reads(source: str) -> list[int]:
    """Return the lines of a browser test that read a page otherwise than into a name, which may be compared later."""
    found = set()
    for statement in ast.walk(ast.parse(source)):
        if not isinstance(statement, ast.stmt) or isinstance(statement, ast.Assign):
            continue
        names = READS | {"evaluate", "evaluate_all"} if isinstance(statement, ast.Assert) else READS
        for part in ast.iter_child_nodes(statement):
            calls = (node for node in ast.walk(part) if isinstance(part, ast.expr) and isinstance(node, ast.Call))
            found |= {
                call.lineno
                for call in calls
                if isinstance(call.func, ast.Attribute) and call.func.attr in names
                if not (call.func.attr == "count" and call.args)  # how often a text is in another one
            }
    return sorted(found)


def test_browser_tests_wait_for_what_they_assert() -> None:
    """Playwright's ``expect`` waits; an assertion on what a page shows at this moment fails on a slow machine."""
    tests = list((ROOT / "tests" / "e2e" / "web").glob("test_*.py"))
    assert len(tests) > 2
    assert {path.name: lines for path in tests if (lines := hasty_reads(path.read_text("utf-8")))} == {}
    wrong = [
        "assert page.locator('li').count() == 1",
        "assert page.evaluate('1')",
        "if page.is_visible('p'):\n    pass",
    ]
    assert [hasty_reads(line) for line in [*wrong, "seen = page.inner_text('p')"]] == [[1], [1], [1], []]
