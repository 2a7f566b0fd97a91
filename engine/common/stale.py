"""In a checkout: a note on standard error for each compiled module whose source is newer than its compiled file."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from importlib.machinery import EXTENSION_SUFFIXES, ModuleSpec, PathFinder

REBUILD = "PIP_COMPILE=0 pip install -q --no-build-isolation -e ."


class StaleFinder:
    """An entry of ``sys.meta_path`` that finds modules as usual. An installed wheel has none."""

    @staticmethod
    def find_spec(name: str, path: Sequence[str] | None = None, target: object = None) -> ModuleSpec | None:
        """Return the module's specification, or None for a module of another package."""
        if path is None or not name.startswith("quietmove."):
            return None
        spec = PathFinder.find_spec(name, path)
        if spec is not None and spec.origin is not None and spec.origin.endswith(EXTENSION_SUFFIXES[0]):
            folder, stem = os.path.split(spec.origin.removesuffix(EXTENSION_SUFFIXES[0]))
            built = _changed(spec.origin)
            for source in (f"{folder}/{stem}", f"{os.path.dirname(folder)}/{stem}"):  # vector builds have a subfolder
                if max(_changed(f"{source}.py"), _changed(f"{source}.pxd")) > built:
                    sys.stderr.write(f"note: {source}.py has changed since it was compiled; run {REBUILD}\n")
        return spec


def _changed(path: str) -> float:
    """Return when a file was last changed, or 0 if it does not exist."""
    try:
        return os.stat(path).st_mtime  # noqa: PTH116 (pathlib would slow the start)
    except OSError:
        return 0
