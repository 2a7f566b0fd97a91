"""The schema of an SQLite file that may come from a stranger.

A view, a trigger or another definition of a table runs SQL of whoever made the file, and a query of it may never end.
So each file that is opened must have the definitions that this program writes, and nothing else. A journal beside it
may name another file, which SQLite deletes when it rolls back.
"""

from __future__ import annotations

import os
import re
import sqlite3
from collections import Counter
from contextlib import closing, suppress
from functools import cache
from pathlib import Path

IGNORED = re.compile(r"--[^\n]*|\s+")  # comments and blanks may differ from version to version
# the last bytes of a journal that names a super-journal (https://www.sqlite.org/fileformat.html#the_rollback_journal)
NAMES_ANOTHER = bytes.fromhex("d9d505f920a163d7")


def foreign_journal(path: Path) -> str:
    """Return the journal beside a database if it names another file or is no plain file, else "".

    To be asked before the database is read: SQLite would delete that file, or wait for a pipe. A database of this
    program is never written together with another one, so its journals name none.
    """
    journal = Path(f"{path.resolve()}-journal")
    if journal.exists() and not journal.is_file():
        return str(journal)
    with suppress(OSError), journal.open("rb") as file:  # none is there, or it is shorter
        file.seek(-len(NAMES_ANOTHER), os.SEEK_END)
        return str(journal) if file.read() == NAMES_ANOTHER else ""
    return ""


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
