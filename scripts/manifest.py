"""The compiled modules and their hot functions, as declared in the ``.pxd`` files.

A ``.py`` file with a ``.pxd`` file of the same name is compiled. Functions declared ``nogil`` there run inside a search
and must not touch Python objects. A ``.pxd`` file without a ``.py`` file describes a C header.
"""

from __future__ import annotations

import re
from pathlib import Path

__all__ = ["PACKAGE", "SOURCE", "compiled_modules", "hot_functions", "source_of"]

PACKAGE = "quietmove"
SOURCE = "src"  # the folder that contains the package
ROOT = Path(__file__).parents[1]
ROOMS = ("engine", "referee", "tournament", "addons")
CLASS = re.compile(r"cdef class (\w+)")
FUNCTION = re.compile(r"( *)c(?:p?)def (?!class\b|enum\b)[\w ]+?[ *](\w+)\(.*\).*\bnogil\b")


def compiled_modules(root: Path = ROOT) -> tuple[str, ...]:
    """Return the import names of the compiled modules, sorted.

    :param root: the parent folder of :data:`ROOMS`; ``addons`` may be missing.
    """
    declarations = (path for room in ROOMS for path in (root / room).rglob("*.pxd"))
    compiled = (path.relative_to(root).with_suffix("") for path in declarations if path.with_suffix(".py").exists())
    return tuple(sorted(".".join((PACKAGE, *path.parts)) for path in compiled))


def source_of(module: str) -> str:
    """Return the path of a module's source relative to the checkout, as the import system finds it."""
    return f"{SOURCE}/{module.replace('.', '/')}.py"


def hot_functions(module: str, root: Path = ROOT) -> set[str]:
    """Return the functions and methods (``Class.name``) that the module's ``.pxd`` file declares as ``nogil``."""
    owner, found = "", set()
    declared = (root / source_of(module).removeprefix(f"{SOURCE}/{PACKAGE}/")).with_suffix(".pxd")
    for line in declared.read_text(encoding="utf-8").splitlines():
        if match := CLASS.match(line):
            owner = match[1]
        elif match := FUNCTION.match(line):
            found.add(f"{owner}.{match[2]}" if match[1] else match[2])
    return found
