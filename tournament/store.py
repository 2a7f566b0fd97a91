"""The tournament in one SQLite file: its configuration and every finished game.

One row is one game, written whole in one transaction, so a killed process never leaves half a game in the store.
Nothing that can be computed from the games is stored beside them. The file is in WAL mode: others may read while one
process writes. A lock on ``FILE-lock`` ensures that only one writes; the system releases it when the process ends in
any way.

The columns beside ``record`` repeat what a person or a script asks most often, for use with plain SQL.
"""

from __future__ import annotations

import fcntl
import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType

from quietmove.referee.config import Color
from quietmove.referee.record import GameRecord
from quietmove.tournament.config import Tournament
from quietmove.tournament.errors import StoreError
from quietmove.tournament.schedule import GameId, Result, ScheduledGame
from quietmove.tournament.upgrade import SCHEMA_VERSION, upgrade

__all__ = ["Store"]

APPLICATION_ID = 0x514D5452  # "QMTR" in the file's header: `file` and we can tell it from other SQLite files
SCHEMA = f"""
PRAGMA application_id = {APPLICATION_ID};
PRAGMA user_version = {SCHEMA_VERSION};
CREATE TABLE tournament (
    config     TEXT NOT NULL,               -- JSON of quietmove.tournament.config.Tournament
    created_at TEXT NOT NULL                -- UTC
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
    record       TEXT NOT NULL,             -- JSON of quietmove.referee.record.GameRecord
    UNIQUE (round, first, second, color)
);
"""


class Store:
    """An open tournament store; a context manager.

    :ivar path: the file.
    :ivar tournament: what is being played.
    """

    def __init__(self, path: Path, connection: sqlite3.Connection, lock: _Lock | None) -> None:
        self.path = path
        self._connection = connection
        self._lock = lock
        self.tournament = self._read_tournament()

    @classmethod
    def create(cls, path: Path, tournament: Tournament) -> Store:
        """Create a new store and open it for writing.

        :raises StoreError: if ``path`` exists, is in use or cannot be written.
        """
        lock = _Lock(path)
        try:
            if path.exists():
                raise StoreError(_explain_existing(path))
            with _errors(path):
                _write_new(path, tournament)
            return cls._connect(path, lock)
        except BaseException:
            lock.release()
            raise

    @classmethod
    def open_to_write(cls, path: Path) -> Store:
        """Open the store of a tournament that is to be resumed.

        :raises StoreError: if there is none, or another process writes to it.
        """
        _require(path)
        lock = _Lock(path)
        try:
            return cls._connect(path, lock)
        except BaseException:
            lock.release()
            raise

    @classmethod
    def open_to_read(cls, path: Path) -> Store:
        """Open a store to be looked at, while it is written by another process or not.

        :raises StoreError: if there is none.
        """
        _require(path)
        return cls._connect(path, None)

    @classmethod
    def _connect(cls, path: Path, lock: _Lock | None) -> Store:
        with _errors(path):
            connection = sqlite3.connect(f"{path.absolute().as_uri()}?mode=rw", uri=True)
        try:
            with _errors(path):
                version = _check_header(path, connection)
                if not lock:
                    connection.execute("PRAGMA query_only = ON")  # mode=ro would leave the WAL's files behind
                    if version < SCHEMA_VERSION:
                        connection = _upgraded_copy(connection)
                else:
                    if version < SCHEMA_VERSION:
                        upgrade(connection)
                    connection.execute("PRAGMA journal_mode = WAL")
                    connection.execute("PRAGMA synchronous = NORMAL")  # a killed process loses nothing, and in WAL
                    # mode a power cut may lose the last games but never the file: resume plays them again
                return cls(path, connection, lock)
        except BaseException:
            connection.close()
            raise

    def add(self, game: ScheduledGame, record: GameRecord) -> Result:
        """Write a finished game in one transaction, and return how it ended.

        :raises StoreError: if it cannot be written, or was before.
        """
        opening, moves = ",".join(game.opening), ",".join(move.move for move in record.moves)
        row = {
            "number": game.number,
            "round": game.id.round,
            "first": game.id.pair[0],
            "second": game.id.pair[1],
            "color": game.id.color,
            "black": game.id.black,
            "white": game.id.white,
            "opening": opening,
            "seed": game.seed,
            "moves": moves,
            "points_black": record.points_black,
            "margin_black": record.margin_black,
            "reason": record.reason,
            "loser": record.loser,
            "finished_at": _now(),
            "record": record.to_json(),
        }
        names = ", ".join(row)
        places = ", ".join(f":{name}" for name in row)
        with _errors(self.path), self._connection:
            self._connection.execute(f"INSERT INTO game ({names}) VALUES ({places})", row)
        end = (record.points_black, record.margin_black, record.reason, record.loser)
        return _result(game.id, game.number, *end, opening, moves)

    def results(self) -> list[Result]:
        """Return how the finished games ended, in the order of the schedule."""
        with _errors(self.path):
            rows = self._connection.execute(
                "SELECT round, first, second, color, number, points_black, margin_black, reason, loser, "
                "opening, moves "
                "FROM game ORDER BY number"
            ).fetchall()
        return [_result(GameId(number, (first, second), color), *rest) for number, first, second, color, *rest in rows]

    def games(self) -> Iterator[tuple[ScheduledGame, GameRecord]]:
        """Yield the finished games whole, in the order of the schedule."""
        with _errors(self.path):
            rows = self._connection.execute(
                "SELECT round, first, second, color, number, opening, seed, record FROM game ORDER BY number"
            )
            for round_number, first, second, color, number, opening, seed, record in rows:
                game = GameId(round_number, (first, second), color)
                moves = tuple(filter(None, opening.split(",")))
                yield ScheduledGame(game, number, moves, seed), GameRecord.from_json(record)

    def close(self) -> None:
        """Close the file and let others write to it."""
        self._connection.close()
        if self._lock:
            self._lock.release()

    def __enter__(self) -> Store:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    def _read_tournament(self) -> Tournament:
        with _errors(self.path):
            row = self._connection.execute("SELECT config FROM tournament").fetchone()
        try:
            return Tournament.from_json(row[0])
        except (TypeError, ValueError, LookupError) as error:  # no row, no JSON, or no configuration
            raise StoreError(f"store: {self.path} is damaged: its configuration cannot be read: {error}") from None


class _Lock:
    """The right to write to one store, held until :meth:`release` or the end of the process."""

    def __init__(self, store: Path) -> None:
        self.path = store.with_name(store.name + "-lock")
        while True:
            self.descriptor = self._open(store)
            if self._is_current():
                return
            os.close(self.descriptor)  # its last owner removed the file between our open and our lock: try the new one

    def _open(self, store: Path) -> int:
        try:
            descriptor = os.open(self.path, os.O_RDWR | os.O_CREAT, 0o644)
        except OSError as error:
            raise StoreError(f"store: {store} cannot be written: {error.strerror}") from None
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            os.close(descriptor)
            raise StoreError(
                f"store: {store} is being written by another process; 'standings {store}' may read it meanwhile"
            ) from None
        return descriptor

    def _is_current(self) -> bool:
        try:
            return os.path.samestat(self.path.stat(), os.fstat(self.descriptor))
        except FileNotFoundError:
            return False

    def release(self) -> None:
        self.path.unlink(missing_ok=True)
        os.close(self.descriptor)


def _write_new(path: Path, tournament: Tournament) -> None:
    """Write an empty store beside ``path`` and move it there, so that there is never half a store under that name."""
    unfinished = path.with_name(path.name + "-new")
    unfinished.unlink(missing_ok=True)
    connection = sqlite3.connect(unfinished)
    try:
        connection.executescript(SCHEMA)
        with connection:
            connection.execute("INSERT INTO tournament VALUES (?, ?)", (tournament.to_json(), _now()))
    finally:
        connection.close()
    unfinished.rename(path)


def _explain_existing(path: Path) -> str:
    """Return why no new store can be begun at ``path``, and what may be done instead."""
    try:
        Store.open_to_read(path).close()
    except StoreError as error:
        return f"{error}; it is left as it is: give another --store"
    return f"store: {path} exists; 'resume {path}' plays on, or give another --store"


def _upgraded_copy(connection: sqlite3.Connection) -> sqlite3.Connection:
    """Return the old store as it stands now, in memory and in today's form: a reader leaves the file as it is."""
    copy = sqlite3.connect(":memory:")
    with closing(connection):
        connection.backup(copy)
    upgrade(copy)
    copy.execute("PRAGMA query_only = ON")
    return copy


def _check_header(path: Path, connection: sqlite3.Connection) -> int:
    """Return the version of the store's form."""
    (application,) = connection.execute("PRAGMA application_id").fetchone()
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    if application != APPLICATION_ID:
        raise StoreError(f"store: {path} is no tournament store")
    if not 1 <= version <= SCHEMA_VERSION:
        raise StoreError(
            f"store: {path} has schema version {version}; this program reads versions 1 to {SCHEMA_VERSION}"
        )
    return int(version)


def _require(path: Path) -> None:
    if path.exists() and not path.is_file():
        raise StoreError(f"store: {path} is no tournament store")
    if not path.is_file():
        raise StoreError(f"store: there is no file {path}; 'run --store {path}' begins one")


@contextmanager
def _errors(path: Path) -> Iterator[None]:
    try:
        yield
    except sqlite3.Error as error:
        raise StoreError(f"store: {path}: {error}") from error


def _result(
    game: GameId,
    number: int,
    points_black: float,
    margin_black: int,
    reason: str,
    loser: Color | None,
    opening: str,
    moves: str,
) -> Result:
    charged = None if loser is None else game.black if loser == "black" else game.white
    return Result(game, number, points_black, margin_black, reason, charged, opening, moves)


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds")
