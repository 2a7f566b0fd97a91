"""The tables of a store, in SQL."""

from __future__ import annotations

import sqlite3
from pathlib import Path

from quietmove.tournament.config.definition import Tournament
from quietmove.tournament.errors import StoreError
from quietmove.tournament.store.trust import machine

__all__ = ["SCHEMA_VERSION", "check_tables", "make_tables"]

SCHEMA_VERSION = 4
APPLICATION_ID = 0x514D5452  # "QMTR" in the file's header: `file` and we can tell it from other SQLite files
SCHEMA = f"""
BEGIN;
PRAGMA application_id = {APPLICATION_ID};
PRAGMA user_version = {SCHEMA_VERSION};
CREATE TABLE tournament (
    config       TEXT NOT NULL,             -- JSON of quietmove.tournament.config.definition.Tournament
    machine      TEXT NOT NULL              -- where it was begun: quietmove.tournament.store.trust
);
CREATE TABLE game (
    number       INTEGER PRIMARY KEY CHECK (number > 0),  -- place in the schedule, from 1
    round        INTEGER NOT NULL CHECK (round BETWEEN 1 AND 1e9),
    black        TEXT NOT NULL,
    white        TEXT NOT NULL,
    color        TEXT NOT NULL CHECK (color IN ('black', 'white')),  -- of the first of the pair
    opening      TEXT NOT NULL,             -- its moves, separated by commas
    seed         INTEGER NOT NULL CHECK (seed BETWEEN 0 AND 1e10),
    moves        TEXT NOT NULL,             -- the whole game, opening included, separated by commas
    points_black REAL NOT NULL CHECK (points_black IN (0, 0.5, 1)),
    margin_black INTEGER NOT NULL CHECK (margin_black BETWEEN -1e9 AND 1e9),
    reason       TEXT NOT NULL,
    loser        TEXT CHECK (loser IN ('black', 'white')),
    finished_at  TEXT NOT NULL,             -- UTC
    record       TEXT NOT NULL,             -- JSON of quietmove.referee.game.record.GameRecord
    UNIQUE (round, black, white)
);
"""


def make_tables(connection: sqlite3.Connection, tournament: Tournament) -> None:
    """Write an empty store into an empty file, in one transaction."""
    with connection:
        connection.executescript(SCHEMA)
        connection.execute("INSERT INTO tournament VALUES (?, ?)", (tournament.to_json(), machine()))


def check_tables(path: Path, connection: sqlite3.Connection) -> None:
    """Check that a database is a store of this program.

    What its tables hold is then of the right types: SQLite checks that whenever something is written.

    :raises StoreError: if it is none, or one of another version.
    """
    connection.execute("PRAGMA trusted_schema = OFF")
    (application,) = connection.execute("PRAGMA application_id").fetchone()
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    if application != APPLICATION_ID:
        raise StoreError(f"store: {path} is no tournament store")
    if version != SCHEMA_VERSION:
        raise StoreError(f"store: {path}: schema version: must be {SCHEMA_VERSION}, not {version}")
