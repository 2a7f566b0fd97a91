"""SECURITY.md lists every module that runs a program, opens a file for writing or shows a path to an engine."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

import pytest

from tests.fakes.addons import ROOT, is_deleted

FOLDERS = ("engine", "referee", "tournament", "addons", "src/quietmove")
RUNS = re.compile(
    r"subprocess\.(run|Popen|call|check_call|check_output|getoutput|getstatusoutput)"
    r"|os\.(exec\w+|spawn\w+|posix_spawn\w*|system|popen)|pty\.spawn"
    r"|(.*\.)?(create_)?subprocess_(exec|shell)|exec|eval"
)
COPIES = re.compile(
    r"shutil\.(copy|copy2|copyfile|copytree|move)|(.*\.)?(write_text|write_bytes|touch|symlink_to|hardlink_to)|sqlite3\.connect"
)
WRITES = re.compile(r"[rb]*[wax+][wax+bt|:gz]*")  # a mode for writing
FLAGS = re.compile(r"O_(WRONLY|RDWR|CREAT|TRUNC|APPEND)")
BIND = re.compile(r"--(ro-|dev-)?bind(-try)?")  # an argument of bubblewrap
OWN_METHODS = ("self.touch", "formatter.write_text")  # of other classes than Path
HARMLESS = re.compile(r"os\.devnull|'/proc/.*|'/dev/.*|':memory:'|''")  # first arguments that come from no one


def dotted(node: ast.expr, names: dict[str, str]) -> str:
    """Return a name with its module, however it was imported; unknown parts are empty."""
    if isinstance(node, ast.Name):
        return names.get(node.id, node.id)
    return f"{dotted(node.value, names)}.{node.attr}" if isinstance(node, ast.Attribute) else ""


def uses(source: str) -> Iterator[tuple[int, str]]:
    """Yield the line and the name of each use that the list must contain."""
    tree = ast.parse(source)
    names: dict[str, str] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names |= {each.asname or each.name: each.name for each in node.names}
        elif isinstance(node, ast.ImportFrom):
            names |= {each.asname or each.name: f"{node.module}.{each.name}" for each in node.names}
    calls = {id(node.func): node for node in ast.walk(tree) if isinstance(node, ast.Call)}
    for node in ast.walk(tree):
        if isinstance(node, ast.keyword) and node.arg and node.arg.endswith("bind"):
            yield node.value.lineno, "bind"
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and BIND.fullmatch(node.value):
            yield node.lineno, node.value
        if not isinstance(node, ast.Name | ast.Attribute) or not isinstance(node.ctx, ast.Load):
            continue
        name, call = dotted(node, names), calls.get(id(node))
        arguments = [*call.args, *(each.value for each in call.keywords)] if call else []
        if arguments and HARMLESS.fullmatch(ast.unparse(arguments[0])):
            continue
        parts = [part for argument in arguments for part in ast.walk(argument)]
        constants = {part.value for part in parts if isinstance(part, ast.Constant)}
        is_open = call and name.rpartition(".")[2] in ("open", "fdopen") and name != "os.fdopen"
        if (
            RUNS.fullmatch(name)
            or (COPIES.fullmatch(name) and name not in OWN_METHODS)
            or (is_open and any(isinstance(each, str) and WRITES.fullmatch(each) for each in constants))
            or (name == "os.open" and call and FLAGS.search(ast.unparse(call)))
        ):
            yield node.lineno, name


def listed() -> set[str]:
    """Return the modules and folders in the first column of the table."""
    table = (ROOT / "SECURITY.md").read_text().partition("## Paths from outside")[2].partition("\n## ")[0]
    cells = re.findall(r"^\| (`.*?) \|", table, re.MULTILINE)
    return {path for cell in cells for path in re.findall(r"`([^`]+)`", cell)}


def test_each_module_that_runs_writes_or_binds_is_listed() -> None:
    modules = [path for folder in FOLDERS for path in sorted((ROOT / folder).rglob("*.py")) if path.is_file()]
    assert len(modules) > 200
    found = {str(path.relative_to(ROOT)): list(uses(path.read_text())) for path in modules}
    names = listed()
    missing = {name: lines for name, lines in found.items() if lines and not {name, name.rpartition("/")[0]} & names}
    assert not missing, "add a row to the table in SECURITY.md that says who decides the path"
    assert [name for name in names if not (ROOT / name).exists() and not is_deleted(name)] == []


@pytest.mark.parametrize(
    ("source", "name"),
    [
        ("import subprocess as s; s.run(['x'])", "subprocess.run"),
        ("from subprocess import Popen as P; start = P", "subprocess.Popen"),
        ("import asyncio; asyncio.create_subprocess_exec('x')", "asyncio.create_subprocess_exec"),
        ("loop.subprocess_exec(f, 'x')", "loop.subprocess_exec"),
        ("import os; os.execvp('x', [])", "os.execvp"),
        ("from os import posix_spawn\nposix_spawn('x', [], {})", "os.posix_spawn"),
        ("exec(text)", "exec"),
        ("open(path, 'wb')", "open"),
        ("path.open(mode='r+')", "path.open"),
        ("path.open('rb' if old else 'ab')", "path.open"),
        ("self.path().open('x')", ".open"),
        ("import os; os.open(path, os.O_RDWR | os.O_CREAT)", "os.open"),
        ("to_thread(path.write_bytes, data)", "path.write_bytes"),
        ("import shutil; shutil.copyfile(one, other)", "shutil.copyfile"),
        ("import tarfile; tarfile.open(fileobj=file, mode='w:gz')", "tarfile.open"),
        ("words = ['--ro-bind', path, path]", "--ro-bind"),
        ("Launch(command, sandbox_bind=paths)", "bind"),
    ],
)
def test_each_kind_of_use_is_found(source: str, name: str) -> None:
    assert [found for _, found in uses(source)] == [name]


def test_reading_and_own_names_are_no_uses() -> None:
    text = "import os, subprocess\nopen(path)\npath.open('rb')\nos.open(path, os.O_RDONLY)\nopen(os.devnull, 'w')\n"
    assert list(uses(f"{text}error = subprocess.TimeoutExpired\nself.run('w')\nos.fdopen(3, 'wb')")) == []
