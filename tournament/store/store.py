"""The tournament in one SQLite file: its configuration and every finished game.

One row is one game, written whole in one transaction, so a killed process never leaves half a game in the store.
Nothing that can be computed from the games is stored beside them. The file is in WAL mode: others may read while one
process writes; a lock on it ensures that only one does.

The columns beside ``record`` repeat what a person or a script asks most often, for use with plain SQL.
"""

from __future__ import annotations

import contextlib
import hmac
import os
import sqlite3
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import closing
from functools import partial
from itertools import islice
from pathlib import Path
from types import TracebackType
from typing import Any, TypeVar

from quietmove.engine.printable import printable
from quietmove.referee.game.record import GameRecord
from quietmove.tournament.config.definition import Tournament
from quietmove.tournament.errors import StoreError
from quietmove.tournament.games import Result, ScheduledGame
from quietmove.tournament.store.store_file import (
    FileLock,
    connect,
    connect_to_read,
    errors,
    free_name,
    logs,
    new_file,
    require_file,
    require_locked,
    require_name,
)
from quietmove.tournament.store.store_schema import (
    Row,
    check_header,
    insert,
    now,
    upgrade_store,
    upgraded_copy,
    write_new,
)
from quietmove.tournament.store.stored_values import (
    GAME_COLUMNS,
    RESULT_COLUMNS,
    DamageError,
    read_game,
    read_result,
    read_tournament,
)
from quietmove.tournament.store.timing import TIMING_COLUMNS, Timing, read_timing
from quietmove.tournament.store.trust import game_file, make_mark
from quietmove.tournament.store.upgrade import SCHEMA_VERSION

__all__ = ["Store"]

T = TypeVar("T")
OnDamage = Callable[[int, str], object]
MOST_UNMERGED = 1 << 22  # characters of the records of games that are in the log beside the file alone


class Store:
    """An open tournament store; a context manager.

    :ivar path: the file.
    :ivar tournament: what is being played.
    :ivar deleted: how many games that were written to it were not there any more when it was opened to be resumed.
    """

    def __init__(self, path: Path, connection: sqlite3.Connection, lock: FileLock | None) -> None:
        self.path = path
        self._connection = connection
        self._lock = lock
        self._timings: dict[int, Timing] = {}
        self._left: list[Path] = []  # files to be deleted once it is closed
        self.deleted = self._written = 0
        self.tournament = self._read_tournament()
        self._unmerged: list[Row] = []  # the games that were added since the file itself was written
        self._unmerged_size = 0  # characters of their records
        if lock:
            self._begun_as, self._begun_at = self.tournament, str(self.created_at())
            self._state, self._merged = lock.state(), self.count()
            self._written = self._count_written()

    @classmethod
    def create(cls, path: Path, tournament: Tournament) -> Store:
        """Create a new store and open it for writing.

        :raises StoreError: if ``path`` exists, is in use or cannot be written.
        """
        require_name(path)
        if os.path.exists(path):  # noqa: PTH110 (which takes a name of any length)
            raise StoreError(_explain_existing(path))
        with new_file(path) as (unfinished, lock), errors(path):
            write_new(unfinished, tournament)
        return cls._connect(path, lock)

    @classmethod
    def create_or_resume(cls, path: Path, tournament: Tournament) -> Store:
        """Create a store, or open one of the same tournament for writing.

        :raises StoreError: if ``path`` holds anything else, is in use or cannot be written.
        """
        if not os.path.exists(path):  # noqa: PTH110
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
        require_name(path)
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
                version = check_header(path, connection)
                if not lock:
                    connection.execute("PRAGMA query_only = ON")
                    if version < SCHEMA_VERSION:
                        connection = upgraded_copy(path, connection)
                else:
                    require_locked(path, lock)
                    if version < SCHEMA_VERSION:
                        upgrade_store(path, connection)
                    connection.execute("PRAGMA journal_mode = WAL")
                    connection.execute("PRAGMA wal_autocheckpoint = 0")  # _merge does it, and knows when
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
        record_text = record.to_json()
        row: Row = {
            "number": game.number,
            "round": game.id.round,
            "first": game.id.pair[0],
            "second": game.id.pair[1],
            "color": game.id.color,
            "black": game.id.black,
            "white": game.id.white,
            "opening": ",".join(game.opening),
            "seed": game.seed,
            "moves": ",".join(move.move for move in record.moves),
            "points_black": record.points_black,
            "margin_black": record.margin_black,
            "reason": record.reason,
            "loser": record.loser,
            "finished_at": now(),
            "record": record_text,
        }
        self._unmerged.append(row)
        self._unmerged_size += len(record_text)
        self._require_untouched()
        try:
            with errors(self.path):
                insert(self._connection, [row], self._written + 1)
        except StoreError as error:
            self._require_untouched()
            self._unmerged.remove(row)
            self._unmerged_size -= len(record_text)
            raise StoreError(f"{error}; {self._what_is_kept(game.number)}") from error
        self._written += 1
        self.require_in_place()
        self._merge()
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

    def game(self, number: int) -> tuple[ScheduledGame, GameRecord]:
        """Return one finished game whole.

        :raises StoreError: if there is none with this number, or it cannot be read or is damaged.
        """
        found = self._read(GAME_COLUMNS, partial(read_game, game_name=self.tournament.game), None, f"number = {number}")
        for game in found:
            return game
        raise StoreError(f"store: {self.path} holds no game {number}")

    def timings(self, known: dict[int, Timing] | None = None) -> list[Timing]:
        """Return the times of the finished games; a game that was read before is not read again.

        :param known: what was read of this store before, by the games' numbers; what is read now is added.
        :raises StoreError: if it cannot be read or is damaged.
        """
        known = self._timings if known is None else known
        numbers = [int(str(number)) for (number,) in self._rows("SELECT number FROM game ORDER BY number")]
        for number in numbers:
            if number not in known:
                query = f"SELECT {TIMING_COLUMNS} FROM game WHERE number = {number}"
                try:
                    known.update((number, read_timing(row)) for row in self._rows(query))
                except DamageError as error:
                    raise StoreError(f"store: {self.path} is damaged: {error}") from None
        return [known[number] for number in numbers if number in known]

    def players(self) -> dict[int, tuple[object, object]]:
        """Return what the columns of the players, Black's and White's, say of each game, by its number."""
        rows = self._rows("SELECT number, black, white FROM game")
        return {self._number(row[0]): (row[1], row[2]) for row in rows}

    def created_at(self) -> object:
        """Return when the tournament was begun."""
        ((created_at,),) = self._rows("SELECT created_at FROM tournament")
        return created_at

    def finishing_times(self) -> dict[int, object]:
        """Return when each game was finished, by its number."""
        return {self._number(row[0]): row[1] for row in self._rows("SELECT number, finished_at FROM game")}

    def history(self) -> tuple[object, object]:
        """Return the version of the form in which it was begun, and how many games were ever written to it."""
        ((begun_version, games_written),) = self._rows("SELECT begun_version, games_written FROM tournament")
        return begun_version, games_written

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
        """Save the games if the file is not at its path any more or another program has written to it.

        :raises StoreError: in these cases; the error says where the games are.
        """
        self._require_untouched()
        if self._lock is None or self._left or self._lock.is_at(self.path):
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

    def _require_untouched(self) -> None:
        """Save what is not in the file alone if another program has written to it, such as ``cp other.db store.db``."""
        if self._lock is None or self._left or self._lock.state() == self._state:
            return
        what = f"store: {self.path} was overwritten by another program"
        what += f", with {self._merged} games in it" if self._merged else ""
        path = self.path.resolve()
        self._left = [*logs(path), Path(f"{path}-shm")]
        if not self._unmerged:
            raise StoreError(f"{what}; no game was played since it was last written")
        saved = free_name(self.path)
        try:
            with new_file(saved) as (unfinished, lock), errors(saved):
                write_new(unfinished, self._begun_as, self._begun_at)
                with closing(sqlite3.connect(unfinished)) as copy:
                    insert(copy, self._unmerged, len(self._unmerged))
        except StoreError as error:
            raise StoreError(f"{what}; the games since could not be saved: {error}") from error
        lock.release()
        raise StoreError(f"{what}; the {len(self._unmerged)} played since are in {saved}: 'resume {saved}' plays on")

    def _merge(self) -> None:
        """Move the games from the log beside the file into the file once they are many."""
        if self._unmerged_size < MOST_UNMERGED:
            return
        with errors(self.path):
            _, pages, moved = self._connection.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchone()
        assert self._lock is not None
        self._state = self._lock.state()
        if pages == moved:  # not where somebody reads
            self._merged += len(self._unmerged)
            self._unmerged.clear()
            self._unmerged_size = 0

    def close(self) -> None:
        """Close the file and let others write to it."""
        if self._lock and self._lock.state() != self._state:  # it is another program's now: nothing is merged into it
            for log in logs(self.path.resolve()):
                with contextlib.suppress(OSError):
                    os.truncate(log, 0)
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
        try:
            if kind is None or issubclass(kind, StoreError):
                self.require_in_place()
        finally:
            self.close()

    def _read_tournament(self) -> Tournament:
        rows = list(islice(self._rows("SELECT config FROM tournament"), 2))
        if len(rows) > 1:
            raise StoreError(f"store: {self.path} is damaged: it has more than one configuration")
        try:
            return read_tournament(rows[0][0] if rows else None)
        except DamageError as error:
            raise StoreError(f"store: {self.path} is damaged: its configuration cannot be read: {error}") from None

    def _rows(self, query: str) -> Iterator[tuple[object, ...]]:
        with errors(self.path):
            for row in self._connection.execute(query):  # noqa: UP028 ("yield from" would close it, maybe too late)
                yield row

    def _read(
        self,
        columns: str,
        read: Callable[[Sequence[Any], Collection[str]], T],
        on_damage: OnDamage | None,
        where: str = "1",
    ) -> Iterator[T]:
        names = frozenset(self.tournament.names)
        for row in self._rows(f"SELECT {columns} FROM game WHERE {where} ORDER BY number"):
            try:
                yield read(row, names)
            except DamageError as error:
                if on_damage is None:
                    raise StoreError(f"store: {self.path} is damaged: {error}") from None
                on_damage(self._number(row[0]), str(error).partition(": ")[2])

    def _number(self, value: object) -> int:
        """Return a game's number; in a table that this program made it is one."""
        if not isinstance(value, int):
            raise StoreError(f"store: {self.path} is damaged: the number of a game is {printable(repr(value), 100)}")
        return value

    def _require_sound(self) -> None:
        """Refuse to add games to a damaged file, which might lose those that can still be read."""
        with errors(self.path):
            (found,) = self._connection.execute("PRAGMA quick_check(1)").fetchone()
        if found != "ok":
            raise StoreError(f"store: {self.path} is damaged: {printable(' '.join(found.split()))}")
        self.results()

    def _count_written(self) -> int:
        """Return how many games were written, without those that were deleted since: they are played again."""
        _, written = self.history()
        if not isinstance(written, int):
            return self._merged
        self.deleted = max(0, written - self._merged)
        return written - self.deleted

    def _what_is_kept(self, number: int) -> str:
        """Return what the file holds after a game could not be written to it."""
        try:
            count = len(self.results())
        except StoreError:
            return f"game {number} is not in it"
        return f"its {count} games are intact; 'resume {self.path}' plays game {number} again"


def _explain_existing(path: Path) -> str:
    """Return why no new store can be begun at ``path``, and what may be done instead."""
    try:
        Store.open_to_read(path).close()
        FileLock(path).release()
    except StoreError as error:
        return f"{error}; it is left as it is: give another --store"
    return f"store: {path} exists; 'resume {path}' plays on, or give another --store"
