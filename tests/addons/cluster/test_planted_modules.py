"""Modules in the working folder, under the names of those that every command imports: nothing runs them."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.e2e.test_planted_modules import SCRIPTS, mark, run_among_planted  # noqa: F401 (a fixture)

pytestmark = pytest.mark.soak


def test_the_command_imports_nothing_of_the_working_folder(tmp_path: Path, mark: Path) -> None:  # noqa: F811
    run_among_planted(
        tmp_path,
        mark,
        ("quietmove-tournament", "compare", "quietmove", f"{SCRIPTS}/quietmove", "--workers", "2", "--most-games", "4"),
    )
