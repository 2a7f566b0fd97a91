"""The file ``hall.sqlite`` of a folder: people, uploads, the queue of runs, and the event log.

Games, replacements and points are stored only in the tournament stores.
"""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from quietmove.engine.common.database import WRITE_AHEAD, DatabaseFormat, open_database
from quietmove.tournament.errors import StoreError

HALL_FILE = "hall.sqlite"
SCHEMA_VERSION = 5
BUSY_SECONDS = 30.0  # time that a writer waits for another writer
LOOP_SECONDS = 1.0  # the same in an event loop, which waits for its turn before; see WriteTurn
SCHEMA = """
CREATE TABLE IF NOT EXISTS person (
    name TEXT PRIMARY KEY, shown TEXT NOT NULL, role TEXT NOT NULL, blocked INTEGER NOT NULL DEFAULT 0,
    reason TEXT NOT NULL DEFAULT '', -- why the person is blocked
    deadlines TEXT NOT NULL DEFAULT '{}', -- JSON of the extensions by assignment, seconds since 1970
    blocks TEXT NOT NULL DEFAULT '{}' -- JSON of the assignments in which the person is blocked, with the reasons
) STRICT;
CREATE TABLE IF NOT EXISTS member ( -- who has a key: a person, or each member of a team
    name TEXT PRIMARY KEY, person TEXT NOT NULL REFERENCES person(name), key_hash BLOB UNIQUE,
    id TEXT NOT NULL DEFAULT '', email TEXT NOT NULL DEFAULT ''
) STRICT;
CREATE TABLE IF NOT EXISTS entry (
    number INTEGER PRIMARY KEY AUTOINCREMENT, person TEXT NOT NULL REFERENCES person(name), version INTEGER NOT NULL,
    language TEXT NOT NULL, protocol TEXT NOT NULL, engine TEXT NOT NULL, state TEXT NOT NULL,
    reason TEXT NOT NULL DEFAULT '', received_at REAL NOT NULL, queued_at REAL NOT NULL, decided_at REAL,
    blocked INTEGER NOT NULL DEFAULT 0, assignment TEXT NOT NULL DEFAULT '', UNIQUE(person, version)
) STRICT;
CREATE TABLE IF NOT EXISTS hand_mark ( -- points that assistants entered; of a person and part, the newest count
    number INTEGER PRIMARY KEY, at REAL NOT NULL, asked_by TEXT NOT NULL, person TEXT NOT NULL REFERENCES person(name),
    assignment TEXT NOT NULL, part TEXT NOT NULL, points REAL, comment TEXT NOT NULL
) STRICT;
CREATE TABLE IF NOT EXISTS paper ( -- files handed in for parts that are marked by hand
    number INTEGER PRIMARY KEY, received_at REAL NOT NULL, member TEXT NOT NULL,
    person TEXT NOT NULL REFERENCES person(name), assignment TEXT NOT NULL, part TEXT NOT NULL, bytes INTEGER NOT NULL
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
"""
FORMAT = DatabaseFormat(name="database of a class", script=SCHEMA, error=StoreError, versions=(SCHEMA_VERSION,))
SETUP = (WRITE_AHEAD, "PRAGMA synchronous = FULL", "PRAGMA foreign_keys = ON")


def open_hall(folder: Path, *, make: bool = False, timeout: float = BUSY_SECONDS) -> sqlite3.Connection:
    """Open the database of a folder, for use by one thread at a time.

    Transactions are durable, because clients rely on the responses they get.

    :param make: whether to create an empty database if there is none.
    :param timeout: seconds to wait for another writer.
    :raises StoreError: if the database is missing and ``make`` is false, or has a different version.
    """
    path = folder / HALL_FILE
    if not path.is_file():
        if not make:
            raise StoreError(f"{folder}: is not a class folder: it has no {HALL_FILE}")
        with FORMAT.errors(path):
            path.touch(0o600)
    connection = open_database(path, FORMAT, creates=True, setup=SETUP, timeout=timeout)
    connection.row_factory = sqlite3.Row
    return connection


class WriteTurn:
    """Waits until no other process is writing to a folder's database, without blocking the event loop."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._connection: sqlite3.Connection | None = None
        self._waiting: asyncio.Future[None] | None = None  # shared by all who wait

    async def come(self) -> None:
        """Return once a write can start immediately.

        :raises StoreError, sqlite3.Error: if that takes longer than BUSY_SECONDS.
        """
        if self._waiting is None or self._waiting.done():
            self._waiting = asyncio.ensure_future(asyncio.to_thread(self._wait))
        await asyncio.shield(self._waiting)

    def _wait(self) -> None:
        if self._connection is None:
            self._connection = open_hall(self._folder)
        with transaction(self._connection):
            pass


@contextmanager
def transaction(connection: sqlite3.Connection) -> Iterator[sqlite3.Connection]:
    """Run the block as one transaction, excluding other writers."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield connection
    except BaseException:
        connection.execute("ROLLBACK")
        raise
    connection.execute("COMMIT")
