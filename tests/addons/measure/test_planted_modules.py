"""Modules in the working folder, under the names of those that every command imports: a suite's workers run none."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.e2e.test_planted_modules import mark, run_among_planted  # noqa: F401 (a fixture)

SUITE = "---------------------------OX------XO--------------------------- X; F5:+0;\n" * 2

pytestmark = pytest.mark.soak


def test_the_workers_of_a_suite_import_nothing_of_the_working_folder(tmp_path: Path, mark: Path) -> None:  # noqa: F811
    (tmp_path / "suite.obf").write_text(SUITE)
    run_among_planted(tmp_path, mark, ("quietmove", "suite", "../suite.obf", "--depth", "1", "--threads", "2"))
