"""Modules that a class's folder has, under the names of those that every command imports: nothing runs them."""

from __future__ import annotations

from pathlib import Path

import pytest

from quietmove.referee.process import sandbox
from tests.addons.hall.class_programs import GOOD
from tests.addons.hall.halls import new_hall, served
from tests.e2e.test_planted_modules import mark, plant  # noqa: F401 (a fixture)


@pytest.mark.soak
@pytest.mark.skipif(bool(sandbox.missing_requirement()), reason=sandbox.missing_requirement())
def test_a_class_examines_without_the_modules_of_its_folder(tmp_path: Path, mark: Path) -> None:  # noqa: F811
    hall = new_hall(tmp_path / "course", ["p1"])
    plant(hall.folder, mark)
    with served(hall):
        assert hall.judged("p1", GOOD["random"])["state"] == "passed"
