"""The tables of a store: how they are made, filled, recognized, and brought to today's form."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping, Sequence
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

from quietmove.engine.printable import printable
from quietmove.tournament.config.definition import Tournament
from quietmove.tournament.errors import StoreError
from quietmove.tournament.store.stored_values import UNREADABLE
from quietmove.tournament.store.trust import make_mark
from quietmove.tournament.store.upgrade import SCHEMA_VERSION, upgrade

__all__ = ["Row", "check_header", "insert", "now", "upgrade_store", "upgraded_copy", "write_new"]

Row = Mapping[str, str | int | float | None]  # of the table game
APPLICATION_ID = 0x514D5452  # "QMTR" in the file's header: `file` and we can tell it from other SQLite files
SCHEMA = f"""
PRAGMA application_id = {APPLICATION_ID};
PRAGMA user_version = {SCHEMA_VERSION};
CREATE TABLE tournament (
    config     TEXT NOT NULL,               -- JSON of quietmove.tournament.config.definition.Tournament
    created_at TEXT NOT NULL,               -- UTC
    begun_version INTEGER NOT NULL,         -- of this form, when the tournament was begun
    games_written INTEGER NOT NULL          -- so that a game that was deleted is missed
);
CREATE TABLE mark (
    value TEXT NOT NULL                     -- of who has begun it: quietmove.tournament.store.trust
);
CREATE TABLE game (
    number       INTEGER PRIMARY KEY,       -- place in the schedule, from 1
    round        INTEGER NOT NULL,
    first        TEXT NOT NULL,             -- the pair in the order of the configuration
    second       TEXT NOT NULL,
    color        TEXT NOT NULL CHECK (color IN ('black', 'white')),  -- of the first
    black        TEXT NOT NULL,
    white        TEXT NOT NULL,
    opening      TEXT NOT NULL,
    seed         INTEGER NOT NULL,
    moves        TEXT NOT NULL,             -- the whole game, opening included, separated by commas
    points_black REAL NOT NULL,
    margin_black  INTEGER NOT NULL,
    reason       TEXT NOT NULL,
    loser        TEXT CHECK (loser IN ('black', 'white')),
    finished_at  TEXT NOT NULL,             -- UTC
    record       TEXT NOT NULL,             -- JSON of quietmove.referee.game.record.GameRecord
    UNIQUE (round, first, second, color)
);
"""
TABLES = {"tournament", "game"}


def write_new(path: Path, tournament: Tournament, created_at: str = "") -> None:
    """Write an empty store into an empty file.

    :param created_at: when the tournament was begun, as :func:`now` gives it; now if empty.
    """
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA journal_mode = MEMORY")  # the file has another name when it is done
        connection.executescript(SCHEMA)
        with connection:
            config, begun_at = tournament.to_json(), created_at or now()
            connection.execute("INSERT INTO tournament VALUES (?, ?, ?, 0)", (config, begun_at, SCHEMA_VERSION))
            connection.execute("INSERT INTO mark VALUES (?)", (make_mark(config) or "",))


def insert(connection: sqlite3.Connection, rows: Sequence[Row], written: int) -> None:
    """Add finished games in one transaction, all of them or none; ``written`` games there are then."""
    names = ", ".join(rows[0])
    places = ", ".join(f":{name}" for name in rows[0])
    with connection:
        connection.executemany(f"INSERT INTO game ({names}) VALUES ({places})", rows)
        connection.execute("UPDATE tournament SET games_written = ?", (written,))


def upgraded_copy(path: Path, connection: sqlite3.Connection) -> sqlite3.Connection:
    """Return the old store as it stands now, in memory and in today's form: a reader leaves the file as it is."""
    copy = sqlite3.connect(":memory:")
    with closing(connection):
        connection.backup(copy)
    upgrade_store(path, copy)
    copy.execute("PRAGMA query_only = ON")
    return copy


def upgrade_store(path: Path, connection: sqlite3.Connection) -> None:
    """Bring an older store to today's form.

    :raises StoreError: if it is damaged.
    """
    try:
        upgrade(connection)
    except UNREADABLE as error:
        raise StoreError(
            f"store: {path} is damaged: it cannot be brought to today's form: {printable(str(error))}"
        ) from None


def check_header(path: Path, connection: sqlite3.Connection) -> int:
    """Return the version of the store's form.

    :raises StoreError: if it is none, or not one that this program reads.
    """
    connection.execute("PRAGMA trusted_schema = OFF")
    (application,) = connection.execute("PRAGMA application_id").fetchone()
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    if application != APPLICATION_ID:
        raise StoreError(f"store: {path} is no tournament store")
    if not 1 <= version <= SCHEMA_VERSION:
        raise StoreError(
            f"store: {path} has schema version {version}; this program reads versions 1 to {SCHEMA_VERSION}"
        )
    tables = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table' AND sql LIKE 'CREATE TABLE%'")
    if not TABLES.issubset(name for (name,) in tables):
        raise StoreError(f"store: {path} is damaged: a table is missing")
    if connection.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'").fetchone():
        raise StoreError(f"store: {path} has a trigger, which no tournament makes")
    return int(version)


def now() -> str:
    """Return the time as a store has it, in UTC."""
    return datetime.now(UTC).isoformat(timespec="milliseconds")
