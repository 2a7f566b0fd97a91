"""Stores that an older version of this program wrote, brought to today's form.

Version 1 knew round-robins alone, called margins discs, and wrote moves in project coordinates. Version 2 did not count
the games that were written, and some of its stores forgave what a move overdrew within the margin.
"""

from __future__ import annotations

import json
import sqlite3

from quietmove.referee.game.record import GameRecord

__all__ = ["SCHEMA_VERSION", "upgrade"]

SCHEMA_VERSION = 3


def upgrade(connection: sqlite3.Connection) -> None:
    """Bring an older store to today's version in one transaction."""
    with connection:
        connection.execute("BEGIN IMMEDIATE")
        (version,) = connection.execute("PRAGMA user_version").fetchone()
        if version == 1:
            _to_version_2(connection)
        connection.execute("ALTER TABLE tournament ADD COLUMN begun_version INTEGER")
        connection.execute("ALTER TABLE tournament ADD COLUMN games_written INTEGER")
        written = "(SELECT count(*) FROM game)"  # at least: those that were deleted before cannot be known
        connection.execute(f"UPDATE tournament SET begun_version = ?, games_written = {written}", (version,))
        connection.execute(f"PRAGMA user_version = {SCHEMA_VERSION}")


def _to_version_2(connection: sqlite3.Connection) -> None:
    connection.execute("ALTER TABLE game RENAME COLUMN discs_black TO margin_black")
    (config,) = connection.execute("SELECT config FROM tournament").fetchone()
    connection.execute("UPDATE tournament SET config = ?", (_with_format(config),))
    for number, text in connection.execute("SELECT number, record FROM game").fetchall():
        if ".py:" in json.loads(text)["spec"]["game"]:
            raise ValueError("version 1 played no games from files")
        record = GameRecord.from_json(text)
        row = (",".join(move.move for move in record.moves), record.to_json(), number)
        connection.execute("UPDATE game SET moves = ?, record = ? WHERE number = ?", row)


def _with_format(config: str) -> str:
    tournament = json.loads(config)
    tournament["format"] = "round-robin"
    tournament["settings"] = [["rounds", tournament.pop("rounds")]]
    return json.dumps(tournament, ensure_ascii=False, separators=(",", ":"))
