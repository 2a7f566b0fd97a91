"""Schema checks for SQLite files from untrusted sources.

Views, triggers and unexpected table definitions run SQL written by the file's author, and such a query may never end.
So a file is accepted only if its definitions are exactly those this program writes. A rollback journal next to the
file may name another file, which SQLite would delete when it rolls back.
"""

from __future__ import annotations

import os
import re
import sqlite3
from collections import Counter
from contextlib import closing, suppress
from functools import cache
from pathlib import Path

IGNORED = re.compile(r"--[^\n]*|\s+")  # comments and whitespace may differ between versions
# the last bytes of a journal that names a super-journal (https://www.sqlite.org/fileformat.html#the_rollback_journal)
NAMES_ANOTHER = bytes.fromhex("d9d505f920a163d7")


def foreign_journal(path: Path) -> str:
    """Return the path of a database's journal if it names another file or is not a regular file, else "".

    Call this before reading the database: SQLite would delete the named file, or block on a pipe. This program never
    writes two databases in one transaction, so its own journals name no other file.
    """
    journal = Path(f"{path.resolve()}-journal")
    if journal.exists() and not journal.is_file():
        return str(journal)
    with suppress(OSError), journal.open("rb") as file:  # the journal is missing or shorter than that
        file.seek(-len(NAMES_ANOTHER), os.SEEK_END)
        return str(journal) if file.read() == NAMES_ANOTHER else ""
    return ""


def foreign_definition(connection: sqlite3.Connection, script: str) -> str:
    """Return the first definition in a database that differs from the script's, such as ``view 'game'``, or "".

    Only reads the definitions; no SQL from the file is run.
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
