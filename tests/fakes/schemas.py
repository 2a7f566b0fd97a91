"""Changes to the schema of an SQLite file: a table that is a query without end, a trigger, a column, a table more."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import AbstractContextManager, closing
from pathlib import Path

import pytest

from quietmove.engine.common.errors import QuietmoveError

Open = Callable[[Path], AbstractContextManager[object]]
ENDLESS = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n"


def check_refusals(folder: Path, name: str, table: str, make: Open, opened: Open) -> None:
    """Check that a file whose schema was changed is refused.

    :param name: the name of the file, and ``table`` that of one of its tables.
    """
    queries = (
        f"DROP TABLE {table}; CREATE VIEW {table} AS {ENDLESS}",
        f"CREATE TRIGGER t AFTER INSERT ON {table} BEGIN DELETE FROM {table}; END",
        f"ALTER TABLE {table} ADD COLUMN x BLOB AS (zeroblob(1000000000))",
        "CREATE TABLE more (x)",
    )
    for number, query in enumerate(queries):
        path = folder / str(number) / name
        path.parent.mkdir()
        with make(path):
            pass
        with opened(path):  # valid so far
            pass
        with closing(sqlite3.connect(path)) as connection:
            connection.executescript(query)
        with pytest.raises(QuietmoveError), opened(path):
            pass
