"""The file ``hall.sqlite`` of a folder: who takes part, what was handed in, which runs wait, what has happened.

What a store of a tournament knows is not repeated here: who has played whom, who replaced whom, points.
"""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from quietmove.engine.common.schema import foreign_definition, foreign_journal
from quietmove.engine.common.text import printable
from quietmove.tournament.errors import StoreError

HALL_FILE = "hall.sqlite"
SCHEMA_VERSION = 2
BUSY_SECONDS = 20.0  # seconds for which a writer waits for another one
SCHEMA = f"""
BEGIN IMMEDIATE;
CREATE TABLE IF NOT EXISTS person (
    name TEXT PRIMARY KEY, shown TEXT NOT NULL, role TEXT NOT NULL,
    key_hash BLOB UNIQUE, blocked INTEGER NOT NULL DEFAULT 0,
    reason TEXT NOT NULL DEFAULT '' -- why the person is blocked
) STRICT;
CREATE TABLE IF NOT EXISTS entry (
    number INTEGER PRIMARY KEY AUTOINCREMENT, person TEXT NOT NULL REFERENCES person(name), version INTEGER NOT NULL,
    language TEXT NOT NULL, protocol TEXT NOT NULL, engine TEXT NOT NULL, state TEXT NOT NULL,
    reason TEXT NOT NULL DEFAULT '', received_at REAL NOT NULL, queued_at REAL NOT NULL, decided_at REAL,
    blocked INTEGER NOT NULL DEFAULT 0, UNIQUE(person, version)
) STRICT;
CREATE TABLE IF NOT EXISTS answers (
    entry INTEGER PRIMARY KEY REFERENCES entry(number), moves TEXT NOT NULL -- JSON of the moves by position
) STRICT;
CREATE TABLE IF NOT EXISTS review (
    moves TEXT PRIMARY KEY, found TEXT NOT NULL -- JSON of what was found of each move
) STRICT;
CREATE TABLE IF NOT EXISTS run (
    store TEXT PRIMARY KEY, wanted TEXT NOT NULL, place INTEGER NOT NULL, shown INTEGER NOT NULL DEFAULT 0,
    asked_at REAL NOT NULL, reason TEXT NOT NULL DEFAULT '' -- why it was stopped, where nobody has stopped it
) STRICT;
CREATE TABLE IF NOT EXISTS event (
    number INTEGER PRIMARY KEY, at REAL NOT NULL, person TEXT NOT NULL, what TEXT NOT NULL, text TEXT NOT NULL
) STRICT;
PRAGMA user_version = {SCHEMA_VERSION};
COMMIT;
"""


def open_hall(folder: Path, *, make: bool = False) -> sqlite3.Connection:
    """Open the database of a folder, for one thread at a time.

    What is written is on the disk when the transaction ends, since an answer is a promise.

    :param make: whether an empty one is made if there is none.
    :raises StoreError: if there is none, or it is one of another version.
    """
    path = folder / HALL_FILE
    if not (make or path.is_file()):
        raise StoreError(f"{folder}: must be the folder of a class, with {HALL_FILE} in it")
    if journal := foreign_journal(path):
        raise StoreError(f"{path}: must have no journal that names another file; move {printable(journal)} away")
    try:
        connection = sqlite3.connect(path, timeout=BUSY_SECONDS, isolation_level=None, check_same_thread=False)
        connection.row_factory = sqlite3.Row
        _keep_a_log(connection)
        connection.execute("PRAGMA synchronous = FULL")
        connection.execute("PRAGMA foreign_keys = ON")
        (version,) = connection.execute("PRAGMA user_version").fetchone()
        if version == 0:
            path.chmod(0o600)
            connection.executescript(SCHEMA)
        elif version != SCHEMA_VERSION:
            raise StoreError(f"{path}: schema version: must be {SCHEMA_VERSION}, not {version}")
        if foreign := foreign_definition(connection, SCHEMA):
            raise StoreError(f"{path}: must have the tables of a class alone, not the {printable(foreign)}")
    except sqlite3.Error as error:
        raise StoreError(f"{path}: {printable(str(error))}") from None
    return connection


def _keep_a_log(connection: sqlite3.Connection) -> None:
    """Let the database write ahead to a log. SQLite itself does not wait for others that change this at the moment."""
    until = time.monotonic() + BUSY_SECONDS
    while True:
        try:
            connection.execute("PRAGMA journal_mode = WAL")
            return
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode != sqlite3.SQLITE_BUSY or time.monotonic() > until:
                raise
            time.sleep(0.01)


@contextmanager
def transaction(connection: sqlite3.Connection) -> Iterator[sqlite3.Connection]:
    """Write all of the block or nothing; nobody else writes meanwhile."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield connection
    except BaseException:
        connection.execute("ROLLBACK")
        raise
    connection.execute("COMMIT")
