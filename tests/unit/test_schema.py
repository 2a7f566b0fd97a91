"""Files of SQLite in which a table is a query that never ends, or something is defined beside the tables."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Callable
from contextlib import AbstractContextManager, closing
from pathlib import Path

import pytest

from quietmove.addons.library.database.store import GameDatabase
from quietmove.addons.shared.work_file import WorkFile
from quietmove.addons.web.database import HALL_FILE, open_hall
from quietmove.engine.common.errors import QuietmoveError
from quietmove.engine.errors import BookError
from quietmove.tournament.store.store import Store
from tests.fakes.tournament_store import a_tournament
from tests.unit.test_house import ROOT

ENDLESS = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n"


Open = Callable[[Path], AbstractContextManager[object]]
TOURNAMENT = a_tournament("little", ("a", "b"))
KINDS: dict[str, tuple[str, Open, Open]] = {  # a table, what makes a file, what opens it
    "store": ("game", lambda path: Store.create(path, TOURNAMENT), Store.open_to_read),
    "database": ("game", lambda path: GameDatabase(path, create=True), GameDatabase),
    "class": (
        "person",
        lambda path: closing(open_hall(path.parent, make=True)),
        lambda path: closing(open_hall(path.parent)),
    ),
    "work": (
        "run",
        lambda path: WorkFile(path, "work", {}, BookError),
        lambda path: WorkFile(path, "work", None, BookError),
    ),
}


@pytest.mark.parametrize("kind", KINDS)
def test_a_file_with_another_schema_is_refused(kind: str, tmp_path: Path) -> None:
    table, make, opened = KINDS[kind]
    queries = (
        f"DROP TABLE {table}; CREATE VIEW {table} AS {ENDLESS}",
        f"CREATE TRIGGER t AFTER INSERT ON {table} BEGIN DELETE FROM {table}; END",
        f"ALTER TABLE {table} ADD COLUMN x BLOB AS (zeroblob(1000000000))",
        "CREATE TABLE more (x)",
    )
    for number, query in enumerate(queries):
        path = tmp_path / str(number) / HALL_FILE
        path.parent.mkdir()
        with make(path):
            pass
        with opened(path):  # all is well so far
            pass
        with closing(sqlite3.connect(path)) as connection:
            connection.executescript(query)
        with pytest.raises(QuietmoveError), opened(path):
            pass


def test_every_file_that_is_opened_has_its_schema_checked() -> None:
    for path in (
        path for room in ("engine", "referee", "tournament", "addons", "src") for path in (ROOT / room).rglob("*.py")
    ):
        text = path.read_text(encoding="utf-8")
        names_a_file = re.search(r'sqlite3\.connect\((?!"":?|":memory:")', text)
        assert not names_a_file or "foreign_definition(" in text, path
