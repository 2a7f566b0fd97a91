"""The tournament in one SQLite file: its configuration and every finished game.

One row is one game, written whole in one transaction, so a killed process never leaves half a game in the store.
Nothing that can be computed from the games is stored beside them. The file is in WAL mode: others may read while one
process writes; a lock on it ensures that only one does.

The columns beside ``record`` repeat what a person or a script asks most often, for use with plain SQL.
"""

from __future__ import annotations

import contextlib
import hmac
import sqlite3
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import closing
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import Any, TypeVar

from quietmove.engine.text import printable
from quietmove.referee.record import GameRecord
from quietmove.tournament.config import Tournament
from quietmove.tournament.errors import StoreError
from quietmove.tournament.schedule import Result, ScheduledGame
from quietmove.tournament.store_file import (
    FileLock,
    connect,
    connect_to_read,
    errors,
    free_name,
    logs,
    new_file,
    require_file,
)
from quietmove.tournament.stored_values import (
    GAME_COLUMNS,
    RESULT_COLUMNS,
    UNREADABLE,
    DamageError,
    read_game,
    read_result,
    read_tournament,
)
from quietmove.tournament.timing import TIMING_COLUMNS, Timing, read_timing
from quietmove.tournament.trust import game_file, make_mark
from quietmove.tournament.upgrade import SCHEMA_VERSION, upgrade

__all__ = ["Store"]

T = TypeVar("T")
OnDamage = Callable[[int, str], object]
APPLICATION_ID = 0x514D5452  # "QMTR" in the file's header: `file` and we can tell it from other SQLite files
SCHEMA = f"""
PRAGMA application_id = {APPLICATION_ID};
PRAGMA user_version = {SCHEMA_VERSION};
CREATE TABLE tournament (
    config     TEXT NOT NULL,               -- JSON of quietmove.tournament.config.Tournament
    created_at TEXT NOT NULL                -- UTC
);
CREATE TABLE mark (
    value TEXT NOT NULL                     -- of who has begun it: quietmove.tournament.trust
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
TABLES = {"tournament", "game"}


class Store:
    """An open tournament store; a context manager.

    :ivar path: the file.
    :ivar tournament: what is being played.
    """

    def __init__(self, path: Path, connection: sqlite3.Connection, lock: FileLock | None) -> None:
        self.path = path
        self._connection = connection
        self._lock = lock
        self._timings: dict[int, Timing] = {}
        self._left: list[Path] = []  # files to be deleted once it is closed
        self.tournament = self._read_tournament()

    @classmethod
    def create(cls, path: Path, tournament: Tournament) -> Store:
        """Create a new store and open it for writing.

        :raises StoreError: if ``path`` exists, is in use or cannot be written.
        """
        if path.exists():
            raise StoreError(_explain_existing(path))
        with new_file(path) as (unfinished, lock), errors(path):
            _write_new(unfinished, tournament)
        return cls._connect(path, lock)

    @classmethod
    def create_or_resume(cls, path: Path, tournament: Tournament) -> Store:
        """Create a store, or open one of the same tournament for writing.

        :raises StoreError: if ``path`` holds anything else, is in use or cannot be written.
        """
        if not path.exists():
            return cls.create(path, tournament)
        store = cls.open_to_write(path)
        if store.tournament != tournament:
            store.close()
            raise StoreError(
                f"store: {path} holds another match or other settings; 'resume {path}' plays that on, or give another "
                "--store"
            )
        return store

    @classmethod
    def open_to_write(cls, path: Path) -> Store:
        """Open the store of a tournament that is to be resumed.

        :raises StoreError: if there is none, it is damaged, or another process writes to it.
        """
        require_file(path)
        store = cls._connect(path, FileLock(path))
        try:
            store._require_sound()
        except BaseException:
            store.close()
            raise
        return store

    @classmethod
    def open_to_read(cls, path: Path) -> Store:
        """Open a store to be looked at, while it is written by another process or not.

        :raises StoreError: if there is none, or it is a stranger's and would run a file.
        """
        require_file(path)
        store = cls._connect(path, None)
        if (file := game_file(store.tournament)) and not store.is_own():
            store.close()
            raise StoreError(
                f"store: {path} was begun by someone else or elsewhere, and to read it is to run {printable(file)}; "
                "'resume --yes' makes it yours"
            )
        return store

    @classmethod
    def _connect(cls, path: Path, lock: FileLock | None) -> Store:
        connection = None
        try:
            with errors(path):
                connection = connect(path) if lock else connect_to_read(path)
                version = _check_header(path, connection)
                if not lock:
                    connection.execute("PRAGMA query_only = ON")
                    if version < SCHEMA_VERSION:
                        connection = _upgraded_copy(path, connection)
                else:
                    _require_locked(path, lock)
                    if version < SCHEMA_VERSION:
                        _upgrade(path, connection)
                    connection.execute("PRAGMA journal_mode = WAL")
                    connection.execute("PRAGMA synchronous = NORMAL")  # a killed process loses nothing, and in WAL
                    # mode a power cut may lose the last games but never the file: resume plays them again
            return cls(path, connection, lock)
        except BaseException:
            if connection is not None:
                connection.close()
            if lock:
                lock.release()
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
        try:
            with errors(self.path), self._connection:
                self._connection.execute(f"INSERT INTO game ({names}) VALUES ({places})", row)
        except StoreError as error:
            raise StoreError(f"{error}; {self._what_is_kept(game.number)}") from error
        self.require_in_place()
        values = (row[name] for name in RESULT_COLUMNS.split(", "))
        return read_result(tuple(values), self.tournament.names)

    def results(self, on_damage: OnDamage | None = None) -> list[Result]:
        """Return how the finished games ended, in the order of the schedule.

        :param on_damage: is told the number of each game that is damaged, and how; without it, that is an error.
        :raises StoreError: if it cannot be read or is damaged.
        """
        return list(self._read(RESULT_COLUMNS, read_result, on_damage))

    def games(self, on_damage: OnDamage | None = None) -> Iterator[tuple[ScheduledGame, GameRecord]]:
        """Yield the finished games whole, in the order of the schedule.

        :param on_damage: as in :meth:`results`.
        :raises StoreError: if it cannot be read or is damaged.
        """
        return self._read(GAME_COLUMNS, partial(read_game, game_name=self.tournament.game), on_damage)

    def timings(self) -> list[Timing]:
        """Return the times of the finished games; a game that was read before is not read again.

        :raises StoreError: if it cannot be read or is damaged.
        """
        for (number,) in list(self._rows("SELECT number FROM game ORDER BY number")):
            if number not in self._timings:
                query = f"SELECT {TIMING_COLUMNS} FROM game WHERE number = {number}"
                try:
                    self._timings.update((int(str(number)), read_timing(row)) for row in self._rows(query))
                except DamageError as error:
                    raise StoreError(f"store: {self.path} is damaged: {error}") from None
        return list(self._timings.values())

    def players(self) -> dict[int, tuple[object, object]]:
        """Return what the columns of the players, Black's and White's, say of each game, by its number."""
        return {int(str(row[0])): (row[1], row[2]) for row in self._rows("SELECT number, black, white FROM game")}

    def is_own(self) -> bool:
        """Tell whether this user has begun it, or has agreed to what it runs, and nobody has changed that."""
        config, mark = self._config(), None
        with contextlib.suppress(StoreError):  # a store of an earlier version has no such table
            mark = next(self._rows("SELECT value FROM mark"), (None,))[0]
        expected = make_mark(config)
        return isinstance(mark, str) and expected is not None and hmac.compare_digest(mark.encode(), expected.encode())

    def make_own(self) -> None:
        """Note that this user agrees to what it runs.

        :raises StoreError: if it cannot be written.
        """
        with errors(self.path), self._connection:
            self._connection.execute("CREATE TABLE IF NOT EXISTS mark (value TEXT NOT NULL)")
            self._connection.execute("DELETE FROM mark")
            self._connection.execute("INSERT INTO mark VALUES (?)", (make_mark(self._config()) or "",))

    def _config(self) -> str:
        return str(next(self._rows("SELECT config FROM tournament"), (None,))[0])

    def count(self) -> int:
        """Return how many games have been finished."""
        ((number,),) = self._rows("SELECT count(*) FROM game")
        return int(str(number))

    def integrity(self) -> list[str]:
        """Return what the database itself finds wrong with its file."""
        with errors(self.path):
            found = [text for (text,) in self._connection.execute("PRAGMA integrity_check(10)")]
        return [] if found == ["ok"] else [printable(" ".join(text.split())) for text in found]

    def require_in_place(self) -> None:
        """Save all games if the file is not at its path any more, which would else be noticed by nobody.

        :raises StoreError: if the file was deleted, moved or replaced; the error says where the games are.
        """
        if self._lock is None or self._lock.is_at(self.path):
            return
        saved = free_name(self.path)
        what = f"store: {self.path} was deleted, moved or replaced while it was written"
        try:
            with errors(saved), closing(sqlite3.connect(saved)) as copy:
                self._connection.backup(copy)
        except StoreError as error:
            raise StoreError(f"{what}; its games could not be saved: {error}") from error
        self._left = logs(self.path.resolve())  # another store under this name would take their games for its own
        raise StoreError(f"{what}; all its games are in {saved}: 'resume {saved}' plays on")

    def close(self) -> None:
        """Close the file and let others write to it."""
        self._connection.close()
        for log in self._left:
            with contextlib.suppress(OSError):
                log.unlink()
        if self._lock:
            self._lock.release()

    def __enter__(self) -> Store:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    def _read_tournament(self) -> Tournament:
        row = next(self._rows("SELECT config FROM tournament"), (None,))
        try:
            return read_tournament(row[0])
        except DamageError as error:
            raise StoreError(f"store: {self.path} is damaged: its configuration cannot be read: {error}") from None

    def _rows(self, query: str) -> Iterator[tuple[object, ...]]:
        with errors(self.path):
            for row in self._connection.execute(query):  # noqa: UP028 ("yield from" would close it, maybe too late)
                yield row

    def _read(
        self, columns: str, read: Callable[[Sequence[Any], Collection[str]], T], on_damage: OnDamage | None
    ) -> Iterator[T]:
        names = frozenset(self.tournament.names)
        for row in self._rows(f"SELECT {columns} FROM game ORDER BY number"):
            try:
                yield read(row, names)
            except DamageError as error:
                if on_damage is None:
                    raise StoreError(f"store: {self.path} is damaged: {error}") from None
                on_damage(int(str(row[0])), str(error).partition(": ")[2])  # the key of the table is always a number

    def _require_sound(self) -> None:
        """Refuse to add games to a damaged file, which might lose those that can still be read."""
        with errors(self.path):
            (found,) = self._connection.execute("PRAGMA quick_check(1)").fetchone()
        if found != "ok":
            raise StoreError(f"store: {self.path} is damaged: {printable(' '.join(found.split()))}")
        self.results()

    def _what_is_kept(self, number: int) -> str:
        """Return what the file holds after a game could not be written to it."""
        try:
            count = len(self.results())
        except StoreError:
            return f"game {number} is not in it"
        return f"its {count} games are intact; 'resume {self.path}' plays game {number} again"


def _write_new(path: Path, tournament: Tournament) -> None:
    """Write an empty store into an empty file."""
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA journal_mode = MEMORY")  # the file has another name when it is done
        connection.executescript(SCHEMA)
        with connection:
            connection.execute("INSERT INTO tournament VALUES (?, ?)", (tournament.to_json(), _now()))
            connection.execute("INSERT INTO mark VALUES (?)", (make_mark(tournament.to_json()) or "",))


def _explain_existing(path: Path) -> str:
    """Return why no new store can be begun at ``path``, and what may be done instead."""
    try:
        Store.open_to_read(path).close()
        FileLock(path).release()
    except StoreError as error:
        return f"{error}; it is left as it is: give another --store"
    return f"store: {path} exists; 'resume {path}' plays on, or give another --store"


def _upgraded_copy(path: Path, connection: sqlite3.Connection) -> sqlite3.Connection:
    """Return the old store as it stands now, in memory and in today's form: a reader leaves the file as it is."""
    copy = sqlite3.connect(":memory:")
    with closing(connection):
        connection.backup(copy)
    _upgrade(path, copy)
    copy.execute("PRAGMA query_only = ON")
    return copy


def _upgrade(path: Path, connection: sqlite3.Connection) -> None:
    try:
        upgrade(connection)
    except UNREADABLE as error:
        raise StoreError(
            f"store: {path} is damaged: it cannot be brought to today's form: {printable(str(error))}"
        ) from None


def _require_locked(path: Path, lock: FileLock) -> None:
    """Refuse a file that was replaced before it was locked, or one with hard links.

    SQLite keeps the newest games beside the name that the file was opened by.
    """
    if not lock.is_at(path):
        raise StoreError(f"store: {path} was replaced while it was being opened")
    if lock.names > 1:
        raise StoreError(
            f"store: {path} has {lock.names} names (hard links), and its newest games would be kept under one of them "
            "alone; leave it one name, or make a copy"
        )


def _check_header(path: Path, connection: sqlite3.Connection) -> int:
    """Return the version of the store's form."""
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


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds")
