"""The functions that a search lives in are C through and through: what Cython makes of them touches no Python object.

One dropped annotation costs several times the whole node, without an error, so the generated C is read.
"""

from __future__ import annotations

import importlib.util
import re
import shutil
from pathlib import Path
from types import ModuleType

import pytest
from Cython.Build import cythonize

ROOT = Path(__file__).parents[2]

# Every C-level function that may touch Python, and the tokens it may hold; all others hold none.
ALLOWED: dict[str, set[str] | None] = {
    "node.Search.node": {"PyObject", "Py_None"},  # "is there a table?" compares two pointers
    "expectimax.Expectimax.node": {"PyObject", "Py_None"},
    "expectimax.Expectimax.best_move": {"PyObject", "Py_None"},
    "expectimax.Expectimax.probe": {"PyObject", "Py_None"},
    "node.Search.poll": None,  # takes the lock every few thousand nodes, to ask the clock
    # A game in plain Python: each of its methods takes the lock and calls the game.
    **{
        f"adapted.{name}": None
        for name in (
            "hashed",
            *(
                f"AdaptedPosition.{name}"
                for name in ("generate", "make", "unmake", "evaluate", "final_score", "remaining")
            ),
            *(f"AdaptedPosition.{name}" for name in ("legal_here", "write_moves", "push", "value", "final_value")),
            *(f"AdaptedPosition.{name}" for name in ("most_moves", "key_for")),
        )
    },
    "rows.prepare_keys": None,
    # These take the lock to tell what a traced search does.
    **{f"trace.TracedSearch.tell_{each}": None for each in ("enter", "bounds", "cutoff", "value")},
    # These fill tables, once, when the module is imported.
    "board.prepare_keys": None,
    "evaluation.prepare_edges": None,
    "evaluation.prepare_weights": None,
}
# Functions that are known to be hot; that each is found shows that the reading of the C is right.
HOT = {
    "base": {"Position.replies", "Position.count_leaves"},
    "keys": {"mixed"},
    "rows": {
        "count",
        *(f"RowPosition.{name}" for name in ("generate", "make", "unmake", "evaluate", "final_score", "remaining")),
        *(f"RowPosition.{name}" for name in ("has_row", "open_rows")),
    },
    # Every method of a game in plain Python takes the lock.
    "adapted": {
        f"AdaptedPosition.{name}" for name in ("generate", "make", "unmake", "evaluate", "final_score", "remaining")
    },
    "capture": {
        "count_of",
        "write_steps",
        *(f"CapturePosition.{name}" for name in ("generate", "generate_noisy", "make", "unmake", "evaluate")),
        *(f"CapturePosition.{name}" for name in ("final_score", "remaining", "finished", "key_of")),
    },
    "nim": {f"NimPosition.{name}" for name in ("generate", "make", "unmake", "evaluate", "final_score", "remaining")},
    "subtraction": {
        f"SubtractionPosition.{name}" for name in ("generate", "make", "unmake", "evaluate", "final_score", "remaining")
    },
    "board": {
        "perft",
        "write_squares",
        "OthelloPosition.generate",
        "OthelloPosition.generate_noisy",
        "OthelloPosition.replies",
        "OthelloPosition.make",
        "OthelloPosition.unmake",
        "OthelloPosition.evaluate",
        "OthelloPosition.final_score",
        "OthelloPosition.remaining",
        "OthelloPosition.solve",
        "OthelloPosition.solved_nodes",
        "OthelloPosition.count_leaves",
    },
    "endgame": {
        "odd_squares",
        "Endgame.solve",
        "Endgame.sorted_moves",
        "Endgame.nearest_moves",
        "Endgame.last_move",
    },
    "evaluation": {"near", "file_of", "edges", "beside", "features", "evaluate"},
    "table": {"score_of", "move_of", "depth_of", "bound_of", "Table.probe", "Table.store"},
    "ordering": {
        "Picker.begin",
        "Picker.next_move",
        "Picker.score_rest",
        "Picker.bring_forward",
        "Picker.sort_by_number",
        "Picker.reward",
    },
    "node": {
        "Search.node",
        "Search.child",
        "Search.answers",
        "Search.list_root",
        "Search.solve",
        "Search.extend_line",
        "Search.poll",
    },
    "trace": {"TracedSearch.node", "TracedSearch.child", "TracedSearch.leaves_behind", "count_positions"},
    "minimax": {"Minimax.best"},
    "expectimax": {
        "floored",
        "rounded",
        *(f"Expectimax.{name}" for name in ("node", "best_move", "average", "probe_all", "probe")),
    },
    "pieces": {
        "landing",
        "steps",
        *(f"EinsteinPosition.{name}" for name in ("generate", "weight", "make", "unmake", "evaluate", "final_score")),
        *(f"EinsteinPosition.{name}" for name in ("remaining", "short_steps", "has_won", "chosen", "shortest", "race")),
    },
    "hands": {
        "popcount",
        *(f"WhistPosition.{name}" for name in ("generate", "make", "unmake", "evaluate", "final_score", "remaining")),
        *(f"WhistPosition.{name}" for name in ("suit_of", "beats", "key_here")),
    },
    "tree": {
        "TreePosition.key_here",
        "TreePosition.value_here",
        "TreePosition.generate",
        "TreePosition.make",
        "TreePosition.unmake",
        "TreePosition.evaluate",
        "TreePosition.final_score",
        "TreePosition.remaining",
    },
    "cpu": set(),
}

FUNCTION = re.compile(r"^[\w ][^\n;{}]*?\b__pyx_f_(\w+)\([^;{}]*\)\s*\{\n(.*?)^\}", re.MULTILINE | re.DOTALL)
PYTHON = re.compile(r"\b(?:Py(?!_ssize_t\b)|__Pyx)\w*")  # Py_ssize_t is an integer of C


def build_backend() -> ModuleType:
    spec = importlib.util.spec_from_file_location("build_backend", ROOT / "scripts" / "build_backend.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


BACKEND = build_backend()


def plain_name(mangled: str, module: str) -> str:
    """Return ``board.OthelloPosition.make`` for ``6engine_5games_7othello_5board_15OthelloPosition_make``."""
    parts = []
    while match := re.match(r"(\d+)", mangled):
        start, length = match.end(), int(match[1])
        parts.append(mangled[start : start + length])
        mangled = mangled[start + length + 1 :]
    depth = module.count(".")
    return ".".join([*parts[depth:], mangled])


def generate(source: Path, module: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """Compile ``module`` of the tree ``source`` to C, as the build does, and return the C."""
    monkeypatch.chdir(source)
    path = f"{module.replace('.', '/')}.py"
    cythonize([path], build_dir=str(folder), compiler_directives=BACKEND.DIRECTIVES, quiet=True, force=True)
    return (folder / path).with_suffix(".c").read_text(encoding="utf-8")


def python_tokens(c: str, module: str) -> dict[str, set[str]]:
    """Return for each C-level function of ``module`` the names from Python's interface that its body holds."""
    without_comments = re.sub(r"/\*.*?\*/", "", c, flags=re.DOTALL)
    return {plain_name(name, module): set(PYTHON.findall(body)) for name, body in FUNCTION.findall(without_comments)}


def too_slow(c: str, module: str) -> dict[str, set[str]]:
    """Return the functions that touch Python without leave, each with the tokens that show it."""
    found = {}
    for name, tokens in python_tokens(c, module).items():
        allowed = ALLOWED.get(name, set())
        if allowed is not None and tokens - allowed:
            found[name] = tokens - allowed
    return found


def test_every_compiled_module_is_listed() -> None:
    assert {module.rpartition(".")[2] for module in BACKEND.MODULES} == set(HOT)


@pytest.mark.parametrize("module", BACKEND.MODULES)
def test_hot_functions_touch_no_python(module: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    c = generate(ROOT, module, tmp_path, monkeypatch)
    assert too_slow(c, module) == {}
    short = module.rpartition(".")[2]
    assert {f"{short}.{name}" for name in HOT[short]} <= python_tokens(c, module).keys()


@pytest.mark.parametrize(
    ("file", "old", "new", "module", "victim"),
    [
        pytest.param(
            "engine/search/table.pxd",
            "probe(self, unsigned long long key) noexcept nogil",
            "probe(self, unsigned long long key) nogil",
            "engine.search.node",  # the caller pays: after the call it looks for an exception
            "node.Search.node",
            id="noexcept",
        ),
        pytest.param(
            "engine/search/node.pxd",
            "bint first) noexcept nogil",
            "bint first) nogil",
            "engine.search.node",
            "node.Search.node",
            id="noexcept of a method",
        ),
        pytest.param(
            "engine/games/othello/evaluation.py",
            "@cython.exceptval(check=False)\ndef near",
            "def near",
            "engine.games.othello.evaluation",
            "evaluation.features",
            id="exceptval",
        ),
    ],
)
def test_a_dropped_annotation_is_found(
    file: str, old: str, new: str, module: str, victim: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tree = tmp_path / "tree"
    shutil.copytree(ROOT / "engine", tree / "engine", ignore=shutil.ignore_patterns("*.so", "*.c", "*.html"))
    text = (tree / file).read_text(encoding="utf-8")
    assert text.count(old) == 1
    (tree / file).write_text(text.replace(old, new), encoding="utf-8")
    assert victim in too_slow(generate(tree, module, tmp_path / "c", monkeypatch), module)
