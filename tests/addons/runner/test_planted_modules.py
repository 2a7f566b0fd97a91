"""Modules that a folder of tournaments has, under the names of those that every command imports: nothing runs them."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.addons.runner.test_runner import begun
from tests.e2e.test_planted_modules import mark, plant  # noqa: F401 (a fixture)

pytestmark = pytest.mark.soak


def test_a_server_of_a_folder_checks_and_plays_without_its_modules(tmp_path: Path, mark: Path) -> None:  # noqa: F811
    with begun(tmp_path / "folder") as hall:
        plant(hall.folder, mark)
        (hall.folder / "t.sqlite-log").symlink_to(mark)
        report = hall.told("POST", "/api/engines/check", {"table": {"name": "full", "command": "quietmove"}})
        assert report["examinations"]
        hall.start("t", rounds=1, defaults={"limit": "depth=1"})
        hall.wait_for("t", "over")
