"""The schema of an SQLite file that may come from a stranger.

A view, a trigger or another definition of a table runs SQL of whoever made the file, and a query of it may never end.
So each file that is opened must have the definitions that this program writes, and nothing else.
"""

from __future__ import annotations

import re
import sqlite3
from collections import Counter
from contextlib import closing
from functools import cache

IGNORED = re.compile(r"--[^\n]*|\s+")  # comments and blanks may differ from version to version


def foreign_definition(connection: sqlite3.Connection, script: str) -> str:
    """Return the first definition in which a database differs from what a script makes, as ``view 'game'``, else "".

    Reading the definitions runs nothing of them.
    """
    found, expected = _definitions(connection), _made_by(script)
    for kind, name, _ in (found - expected) or (expected - found):
        return f"{kind} {name!r}"
    return ""


@cache
def _made_by(script: str) -> Counter[tuple[str, str, str]]:
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.executescript(script)
        return _definitions(connection)


def _definitions(connection: sqlite3.Connection) -> Counter[tuple[str, str, str]]:
    rows = connection.execute("SELECT type, name, coalesce(sql, '') FROM sqlite_master ORDER BY name")
    return Counter((str(kind), str(name), IGNORED.sub("", str(sql))) for kind, name, sql in rows)
