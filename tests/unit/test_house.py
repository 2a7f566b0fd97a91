"""The house as it was designed: who may import whom, what the search may know, and what lies at the top."""

from __future__ import annotations

import ast
import re
import shutil
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

from quietmove.engine.games.registry import game_names

ROOT = Path(__file__).parents[2]
PACKAGE = "quietmove"
ROOMS = ("engine", "referee", "tournament")  # folders of the checkout, which are packages of PACKAGE
TOP_LEVEL = {
    ".ci",
    ".github",
    ".gitignore",
    ".pre-commit-config.yaml",
    "CHANGELOG.md",
    "CONTRIBUTING.md",
    "LICENSE",
    "README.md",
    "SECURITY.md",
    "engine",
    "protocol.md",
    "pyproject.toml",
    "quietmove",
    "referee",
    "scripts",
    "tests",
    "tournament",
}

# A room and the rooms it may import, directly or inside a function, named without ``quietmove.``. A module belongs to
# the room with the longest name that is its own or one of its packages'.
MAY_IMPORT: dict[str, set[str]] = {
    "engine.errors": set(),
    "engine.memory": set(),
    "engine.prefetch_header": set(),
    "engine.values": set(),
    "engine.levels": set(),
    "engine.printable": set(),
    "engine.move_text": set(),
    "engine.hints": set(),
    "engine.durations": set(),
    "engine.processors": set(),
    "engine.files": {"engine.errors"},
    "engine.games.picture": set(),
    "engine.games.base": {"engine.games.picture", "engine.errors"},
    "engine.games": {
        "engine.games.base",
        "engine.games.picture",
        "engine.memory",
        "engine.prefetch_header",
        "engine.files",
        "engine.move_text",
        "engine.errors",
    },
    "engine.games.rules": {"engine.games.base"},
    "engine.games.registry": {
        "engine.games",
        "engine.games.base",
        "engine.games.rules",
        "engine.hints",
        "engine.errors",
    },
    "engine.search": {
        "engine.games.base",
        "engine.levels",
        "engine.memory",
        "engine.prefetch_header",
        "engine.values",
        "engine.errors",
    },
    "engine.perft": {"engine.games.base"},
    "engine.solver": {"engine.search", "engine.games.base", "engine.values"},
    "engine.tools.workers": {"engine.errors"},
    "engine.tools.trees": {"engine.search", "engine.games.base", "engine.values", "engine.errors"},
    "engine.tools.simulations": {"engine.search", "engine.games.base", "engine.values"},
    "engine.session": {
        "engine.levels",
        "engine.memory",
        "engine.search",
        "engine.perft",
        "engine.games.base",
        "engine.games.registry",
        "engine.values",
        "engine.errors",
    },
    "engine.protocol": {
        "engine.durations",
        "engine.games.picture",
        "engine.games.rules",
        "engine.hints",
        "engine.levels",
        "engine.session",
        "engine.search",
        "engine.games.base",
        "engine.games.registry",
        "engine.values",
        "engine.move_text",
        "engine.errors",
    },
    "engine": set(),
    "referee": {
        "engine.games",
        "engine.games.base",
        "engine.games.rules",
        "engine.hints",
        "engine.durations",
        "engine.processors",
        "engine.games.registry",
        "engine.games.picture",
        "engine.memory",
        "engine.protocol",
        "engine.printable",
        "engine.files",
        "engine.levels",
        "engine.errors",
        "engine.solver",
        "engine.tools.simulations",
        "engine.tools.trees",
        "engine.tools.workers",
    },
}
# The rooms of the tournament, each of which may import those before it, the referee, and these parts of the engine.
TOURNAMENT = (
    *("errors", "definition", "games", "statistics", "formats", "store", "config", "options", "reporting", "playing"),
    *("comparing", "web", "report_page", "cli", "__main__"),
)
BELOW_THE_TOURNAMENT = {
    "referee",
    "engine.games",
    "engine.games.base",
    "engine.games.registry",
    "engine.search",
    "engine.values",
    "engine.printable",
    "engine.processors",
    "engine.errors",
}
MAY_IMPORT |= {
    f"tournament.{room}": BELOW_THE_TOURNAMENT | {f"tournament.{lower}" for lower in TOURNAMENT[:place]}
    for place, room in enumerate(TOURNAMENT)
}
MAY_IMPORT["tournament"] = set()
# The top of the engine: its command line and the tools built on it; nothing below imports them.
TOP = ("engine.api", "engine.tools")
MAY_IMPORT |= {room: {each for each in (*MAY_IMPORT, *TOP) if each.startswith("engine")} for room in TOP}
# A game by hand is a match with a person in a seat, who may ask the engine for its analysis.
BY_HAND = "referee.play"
MAY_IMPORT[BY_HAND] = {"referee", *(each for each in MAY_IMPORT if each.startswith("engine"))}
# The commands stand above the rooms.
FACE = re.compile(r"quietmove\.(?:cli|commands|dialect_command)\b")

OTHER_GAMES = (
    "othello|reversi|tictactoe|tic-tac-toe|noughts|connect ?four|connect ?4|gomoku|nim|chess|checkers|draughts|hex"
)
WORDS_OF_SEARCH = {"tree"}  # the name of a game, and no less what every search is about


def module_name(path: Path, root: Path) -> str:
    parts = path.relative_to(root).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def modules(root: Path) -> dict[str, list[Path]]:
    """Return the files of each module below ``root``: its source, and its declarations for Cython."""
    found: dict[str, list[Path]] = {}
    for package in ROOMS:
        for path in sorted((root / package).rglob("*.p*")):
            if path.suffix in (".py", ".pxd"):
                found.setdefault(module_name(path, root), []).append(path)
    return found


def own_name(name: str) -> str | None:
    """Return the module that ``name`` stands for, without the package's name, if it is ours."""
    package, _, rest = name.removeprefix("cython.cimports.").partition(".")
    return rest if package == PACKAGE and rest.partition(".")[0] in ROOMS else None


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
        elif (
            isinstance(node, ast.Constant) and isinstance(node.value, str) and re.fullmatch(r"\w+(\.\w+)+", node.value)
        ):
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


def imports(file: str = "", line: str = "") -> dict[str, set[str]]:
    """Return for each module the modules of ours that it imports, as if ``line`` stood at the end of ``file``."""
    files = modules(ROOT)
    graph: dict[str, set[str]] = {}
    for module, paths in files.items():
        names: set[str] = set()
        for path in paths:
            source = path.read_text(encoding="utf-8") + (f"\n{line}\n" if path == ROOT / file else "")
            is_package = path.name == "__init__.py"
            names |= declared_imports(source) if path.suffix == ".pxd" else python_imports(source, module, is_package)
        graph[module] = {longest(name, set(files)) for name in names} - {""}
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
            if target != room and target not in MAY_IMPORT[room]:
                wrong.append(f"{module} -> {other}")
    return wrong


def reached(graph: dict[str, set[str]], start: str) -> set[str]:
    """Return every module that is loaded, sooner or later, because of ``start`` and the modules below it."""
    return reached_from(graph, {module for module in graph if module == start or module.startswith(f"{start}.")})


def tracked() -> list[str]:
    git = shutil.which("git")
    if git is None or not (ROOT / ".git").exists():
        pytest.skip("the files that belong to the project are known to git alone, and this is no checkout")
    listed = subprocess.run([git, "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True, text=True, timeout=60)
    return [name for name in listed.stdout.split("\0") if name]


def names_of_games(root: Path) -> list[str]:
    games = "|".join(set(game_names()) - WORDS_OF_SEARCH)
    names = re.compile(rf"(?<![^\W_])(?:{OTHER_GAMES}|{games})(?![^\W_])", re.IGNORECASE)
    return [
        f"{path.name}:{number}: {line}"
        for path in sorted((root / "engine" / "search").rglob("*.p*"))
        if path.suffix in (".py", ".pxd")
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
        if names.search(line)
    ]


def test_every_import_follows_an_arrow() -> None:
    graph = imports()
    assert len(graph) > 50
    assert wrong_arrows(graph) == []


def test_no_room_imports_the_commands() -> None:
    found = {
        module
        for module, paths in modules(ROOT).items()
        for path in paths
        if FACE.search(path.read_text(encoding="utf-8"))
    }
    assert found == set()


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
    bare = re.compile(rf"^\s*(?:from|c?import) (?:{'|'.join(ROOMS)})\b", re.MULTILINE)
    named = [name for name in tracked() if name.endswith((".py", ".pxd")) and bare.search((ROOT / name).read_text())]
    assert named == []
    for room in ROOMS:
        assert (ROOT / PACKAGE / room).samefile(ROOT / room)


def test_the_registry_of_games_loads_none_of_them() -> None:
    listing = (
        "import sys, quietmove.engine.games.registry; print(*(n for n in sys.modules if n.startswith('quietmove')))"
    )
    done = subprocess.run([sys.executable, "-c", listing], capture_output=True, check=True, text=True, timeout=60)
    games = ("engine.games", "engine.games.base", "engine.games.registry", "engine.games.rules")
    ours = ("engine", "engine.errors", "engine.hints", *games)
    found = set(done.stdout.split()) - {f"{PACKAGE}.engine.cython_utilities"}  # of the compiled modules
    assert found == {PACKAGE, *(f"{PACKAGE}.{name}" for name in ours)}


def test_judging_a_game_loads_no_search_beforehand() -> None:
    listing = (
        "import sys, quietmove.referee.game.host; print(*(n for n in sys.modules if 'search' in n or 'solver' in n))"
    )
    done = subprocess.run([sys.executable, "-c", listing], capture_output=True, check=True, text=True, timeout=60)
    assert done.stdout.split() == []


def test_the_arrows_are_a_tree_that_points_downwards() -> None:
    for room, allowed in MAY_IMPORT.items():
        if room not in (*TOP, BY_HAND):
            assert all(room not in MAY_IMPORT[other] for other in allowed), room


def test_a_referee_and_a_tournament_load_no_search() -> None:
    """But for the solver, the player in this process, and the trees of the page that draws how a search works.

    Each is imported where it is asked for, and by these modules. The command that finds openings searches itself.
    """
    graph = imports()
    del graph["tournament.config.openings_command"]
    for late, *importers in (
        ("engine.solver", "referee.game.adjudicator", "referee.game.usual_level"),
        ("engine.protocol.player", "referee.seats.in_process"),
        ("engine.tools.trees", "referee.web.trees"),
        ("engine.tools.simulations", "referee.web.trees"),
    ):
        assert sorted(module for module, imported in graph.items() if late in imported) == importers
        for importer in importers:
            graph[importer].remove(late)
    by_hand = {module for module in graph if longest(module, {BY_HAND})}
    for package in ("referee", "tournament"):
        loaded = reached({module: graph[module] - by_hand for module in graph if module not in by_hand}, package)
        assert "engine.games.base" in loaded
        assert not {name for name in loaded if name.startswith(("engine.search", "engine.session"))}


@pytest.mark.parametrize(
    ("file", "line"),
    [
        ("engine/errors.py", "import quietmove.engine.values"),
        ("engine/search/node.py", "from quietmove.engine.games.othello.board import PASS"),
        ("engine/search/node.py", "from cython.cimports.quietmove.engine.games.othello import board"),
        ("engine/search/node.pxd", "from quietmove.engine.games.othello.board cimport OthelloPosition"),
        ("engine/search/table.pxd", "cimport quietmove.engine.session"),
        ("engine/games/base.py", "def late():\n    from quietmove.engine import values"),
        ("engine/games/othello/game.py", "from ...search import table"),
        ("engine/session.py", "from quietmove.engine.protocol import lines"),
        ("engine/session.py", "from quietmove.engine.games.othello import make_game"),
        ("engine/protocol/uci.py", "import quietmove.engine.tools.bench"),
        ("referee/game/judged_game.py", "from quietmove.engine import session"),
        ("referee/game/judged_game.py", "MODULE = 'quietmove.engine.search.deepening'"),
        ("referee/game/judged_game.py", "import quietmove.tournament.store.store"),
        ("tournament/statistics/standings.py", "import quietmove.tournament.formats.base"),
        ("tournament/reporting/terminal.py", "import quietmove.tournament.playing.commands"),
        ("tournament/playing/missing_games.py", "from quietmove.engine.protocol.lines import parse_info"),
    ],
)
def test_a_wrong_import_is_found(file: str, line: str) -> None:
    (wrong,) = wrong_arrows(imports(file, line))
    assert wrong.startswith(module_name(ROOT / file, ROOT) + " -> ")


def test_the_search_names_no_game(tmp_path: Path) -> None:
    assert names_of_games(ROOT) == []
    (tmp_path / "engine" / "search").mkdir(parents=True)
    (tmp_path / "engine" / "search" / "node.py").write_text(
        "# of Reversi\nothello_only = 1\nminimax, Othellos = 2, 3\n"
    )
    assert [line.partition(": ")[0] for line in names_of_games(tmp_path)] == ["node.py:1", "node.py:2"]


def test_the_top_level_holds_what_was_designed() -> None:
    found = {name.partition("/")[0] for name in tracked()}
    assert found - TOP_LEVEL == set()
    assert all((ROOT / name).exists() for name in TOP_LEVEL)


def test_no_file_names_a_path_of_one_machine() -> None:
    machine = re.compile(rb"(?<![\w.\-~])/(?:" + b"|".join((b"work", b"tmp", b"root", b"home", b"Users")) + rb")/")
    named = [name for name in tracked() if (ROOT / name).is_file() and machine.search((ROOT / name).read_bytes())]
    assert named == []
