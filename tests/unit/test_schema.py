"""Files of SQLite in which a table is a query that never ends, or something is defined beside the tables."""

from __future__ import annotations

import re
from pathlib import Path

from quietmove.tournament.store.store import Store
from tests.fakes.schemas import check_refusals
from tests.fakes.tournament_store import a_tournament
from tests.unit.test_house import ROOT


def test_a_store_with_another_schema_is_refused(tmp_path: Path) -> None:
    tournament = a_tournament("little", ("a", "b"))
    check_refusals(tmp_path, "t.sqlite", "game", lambda path: Store.create(path, tournament), Store.open_to_read)


def test_every_file_is_opened_where_its_schema_is_checked() -> None:
    openers = [
        path.relative_to(ROOT).as_posix()
        for room in ("engine", "referee", "tournament", "addons", "src")
        for path in (ROOT / room).rglob("*.py")
        if re.search(r'sqlite3\.connect\((?!"":?|":memory:")', path.read_text(encoding="utf-8"))
    ]
    assert openers == ["engine/common/database.py"]
