"""Packages of others, put into a folder of ``sys.path`` as an installer does."""

from __future__ import annotations

import shutil
import tomllib
from collections.abc import Mapping
from pathlib import Path


def describe(site: Path, name: str, points: Mapping[str, Mapping[str, str]]) -> None:
    """Write what an installer notes of a package: its name and its entry points, by group."""
    folder = site / f"{name.replace('-', '_')}-1.0.dist-info"
    folder.mkdir(parents=True)
    (folder / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n", encoding="utf-8")
    lines = [line for group, names in points.items() for line in (f"[{group}]", *map(" = ".join, names.items()))]
    (folder / "entry_points.txt").write_text("\n".join(lines), encoding="utf-8")


def install(site: Path, source: Path) -> None:
    """Install the package of a folder with a ``pyproject.toml``."""
    project = tomllib.loads((source / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    describe(site, project["name"], project["entry-points"])
    shutil.copytree(source, site, dirs_exist_ok=True, ignore=shutil.ignore_patterns("pyproject.toml", "__pycache__"))
