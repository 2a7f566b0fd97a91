"""The generated C: the functions that a search lives in touch no Python object, and every module fits the limited API.

One dropped annotation costs several times the whole node, without an error, so the generated C is read.
"""

from __future__ import annotations

import importlib.util
import re
import shutil
import subprocess
import sysconfig
from pathlib import Path
from types import ModuleType

import pytest

from tests.fakes.processes import WAIT

ROOT = Path(__file__).parents[2]

# Every C-level function that may touch Python, with its allowed tokens; all others may contain none.
ALLOWED: dict[str, set[str] | None] = {
    "node.Search.node": {"PyObject", "Py_None"},  # "is there a table?" compares two pointers
    "node.Search.child": {"PyObject", "Py_None"},
    "node.Search.known_refutation": {"PyObject", "Py_None"},
    "node.Search.claim_move": {"PyObject", "Py_None"},
    "node.Search.release_move": {"PyObject", "Py_None"},
    "node.Search.is_finished": {"PyObject", "Py_None"},
    "expectimax.Expectimax.chance_node": {"PyObject", "Py_None"},
    "expectimax.Expectimax.probe": {"PyObject", "Py_None"},
    "limited.LimitedSearch.poll": None,  # takes the GIL every few thousand nodes to read the clock
    # A game in plain Python: each method takes the GIL and calls the game.
    **{
        f"position.{name}": None
        for name in (
            "hashed",
            *(
                f"UserPosition.{name}"
                for name in ("generate", "make", "unmake", "evaluate", "final_score", "remaining")
            ),
            *(f"UserPosition.{name}" for name in ("legal_here", "write_moves", "push", "value", "final_value")),
            *(f"UserPosition.{name}" for name in ("most_moves", "key_for")),
        )
    },
    "position.prepare_keys": None,
    # Functions that take the GIL to report the events of a traced search.
    **{f"traced_search.TracedSearch.tell_{each}": None for each in ("enter", "bounds", "cutoff", "value")},
    **{f"traced_uct.TracedUct.{each}": None for each in ("note_choice", "note_expansion", "note_move", "tell")},
    # Takes the GIL once per search, to map the solver's table.
    "endgame.Endgame.take_table": None,
    # Functions that fill tables once, on import.
    "endgame.prepare_squares": None,
    "board.prepare_errors": None,
    "stability.prepare_edges": None,
    "classic.prepare_edges": None,
    # Takes the GIL once, to read weights.
    "network_weights.NetworkWeights.load": None,
    "classic.prepare_weights": None,
    "network.prepare_places": None,
    "uct.prepare_logarithms": None,
    "public_board.move_number": None,  # converts an argument of Board's methods
}
FUNCTION = re.compile(r"^[\w ][^\n;{}]*?\b__pyx_f_(\w+)\([^;{}]*\)\s*\{\n(.*?)^\}", re.MULTILINE | re.DOTALL)
PYTHON = re.compile(r"\b(?:Py(?!_ssize_t\b)|__Pyx)\w*")  # Py_ssize_t is a C integer


def script(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, ROOT / "scripts" / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


BACKEND = script("build_backend")
MANIFEST = script("manifest")
MODULES = MANIFEST.compiled_modules()


def plain_name(mangled: str, module: str) -> str:
    """Return ``base.Position.make`` for ``9quietmove_6engine_5games_4base_8Position_make``."""
    parts = []
    while match := re.match(r"(\d+)", mangled):
        start, length = match.end(), int(match[1])
        parts.append(mangled[start : start + length])
        mangled = mangled[start + length + 1 :]
    depth = module.count(".")
    return ".".join([*parts[depth:], mangled])


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a copy of the sources with the C that the build made of them, as old as they are."""
    tree = tmp_path_factory.mktemp("built")
    copy_sources(tree, "*.so", "*.html")
    return tree


def copy_sources(tree: Path, *ignored: str) -> None:
    for room in MANIFEST.ROOMS:
        if (ROOT / room).exists():  # add-ons can be deleted
            shutil.copytree(ROOT / room, tree / room, ignore=shutil.ignore_patterns(*ignored))
    shutil.copytree(ROOT / "src", tree / "src", symlinks=True)


def generate(tree: Path, module: str, monkeypatch: pytest.MonkeyPatch) -> str:
    """Return the C of ``module`` in the copy ``tree``, which is made as in the build where it is missing or older."""
    monkeypatch.chdir(tree)
    BACKEND.translated([module])
    return Path(MANIFEST.source_of(module)).with_suffix(".c").read_text(encoding="utf-8")


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


def test_the_manifest_knows_every_module_that_is_written_to_be_compiled() -> None:
    written = {
        path
        for room in MANIFEST.ROOMS
        for path in (ROOT / room).rglob("*.py")
        if re.search(r"^(import|from) cython\b", path.read_text(encoding="utf-8"), re.MULTILINE)
    }
    assert {(ROOT / MANIFEST.source_of(module)).resolve() for module in MODULES} == {path.resolve() for path in written}


def test_the_manifest_reads_functions_and_methods_that_run_without_the_lock(tmp_path: Path) -> None:
    (tmp_path / "engine").mkdir()
    (tmp_path / "engine" / "some.py").touch()
    (tmp_path / "engine" / "some.pxd").write_text(
        "cdef int free(int a) noexcept nogil\ncdef object bound()\ncpdef enum:\n    A = 1\n"
        "cdef class One:\n    cdef int x\n"
        "    cdef int *method(self, int *moves) noexcept nogil\n    cpdef void both(self) noexcept nogil\n"
    )
    (tmp_path / "engine" / "header.pxd").touch()
    assert MANIFEST.compiled_modules(tmp_path) == ("quietmove.engine.some",)
    assert MANIFEST.hot_functions("quietmove.engine.some", tmp_path) == {"free", "One.method", "One.both"}


@pytest.mark.parametrize("module", MODULES)
def test_hot_functions_touch_no_python(module: str, built: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    c = generate(built, module, monkeypatch)
    assert too_slow(c, module) == {}
    short = module.rpartition(".")[2]
    assert {f"{short}.{name}" for name in MANIFEST.hot_functions(module)} <= python_tokens(c, module).keys()


@pytest.mark.parametrize(
    ("file", "old", "new", "module", "victim"),
    [
        pytest.param(
            "engine/search/table.pxd",
            "probe(self, unsigned long long key) noexcept nogil",
            "probe(self, unsigned long long key) nogil",
            "quietmove.engine.search.node",  # the caller checks for an exception after the call
            "node.Search.node",
            id="noexcept",
        ),
        pytest.param(
            "engine/games/othello/evaluators/classic.py",
            "@cython.exceptval(check=False)\ndef beside",
            "def beside",
            "quietmove.engine.games.othello.evaluators.classic",
            "classic.features",
            id="exceptval",
        ),
    ],
)
def test_a_dropped_annotation_is_found(
    file: str, old: str, new: str, module: str, victim: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    copy_sources(tmp_path, "*.so", "*.c", "*.html")
    text = (tmp_path / file).read_text(encoding="utf-8")
    assert text.count(old) == 1
    (tmp_path / file).write_text(text.replace(old, new), encoding="utf-8")
    assert victim in too_slow(generate(tmp_path, module, monkeypatch), module)


def test_every_module_compiles_under_the_limited_api(built: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A wheel for all versions of Python is built rarely; some correct expressions of Cython are wrong C there."""
    monkeypatch.chdir(built)
    monkeypatch.setenv("QUIETMOVE_BUILD", "abi3")
    include = sysconfig.get_paths()["include"]
    failures = {}
    for extension in {each.sources[0]: each for each in BACKEND.extensions()}.values():
        macros = [f"-D{name}={value}" for name, value in extension.define_macros]
        folders = [f"-I{folder}" for folder in (include, *extension.include_dirs)]
        command = [*BACKEND.system_compiler(), "-fsyntax-only", *macros, *folders, *extension.sources]
        done = subprocess.run(command, capture_output=True, text=True, timeout=WAIT)
        if done.returncode:
            failures[extension.name] = done.stderr
    assert failures == {}
