"""A constant of a compiled module stands in its ``.pxd`` and, for a run without a compiler, in its ``.py``: alike."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

ENGINE = Path(__file__).parents[3] / "engine"
DECLARED = sorted(
    path for path in ENGINE.rglob("*.pxd") if "enum:" in path.read_text() and path.with_suffix(".py").exists()
)


def for_c(source: str) -> dict[str, int]:
    """Return the values of the enums of a ``.pxd``."""
    found: dict[str, int] = {}
    for name, value in re.findall(r"^    ([A-Z]\w*) = ([^#\n]+)", source, re.MULTILINE):
        found[name] = eval(value, {}, found)
    return found


def for_python(source: str) -> dict[str, int]:
    """Return the constants that a module has when it is not compiled, as far as the module gives them itself."""
    found: dict[str, int] = {}
    for node in ast.parse(source).body:
        if isinstance(node, ast.If) and "cython.compiled" in ast.unparse(node.test):
            for each in [*node.body, *node.orelse]:
                if isinstance(each, ast.Assign) and isinstance(each.targets[0], ast.Name):
                    found[each.targets[0].id] = eval(ast.unparse(each.value), {}, found)
    return {name: value for name, value in found.items() if isinstance(value, int)}


@pytest.mark.parametrize("declared", DECLARED, ids=lambda path: path.stem)
def test_a_constant_has_one_value(declared: Path) -> None:
    assert for_c(declared.read_text()) == for_python(declared.with_suffix(".py").read_text())


def test_a_constant_that_differs_is_found() -> None:
    assert len(DECLARED) > 10
    assert for_c("cdef enum:\n    A = 1 << 4  # plies\n    B = 2 * A\n") == {"A": 16, "B": 32}
    assert for_python("if not cython.compiled:  # plies\n    A = 1 << 4\n    B = 2 * A\n") == {"A": 16, "B": 32}
