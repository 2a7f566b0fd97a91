"""A tournament in one SQLite file: its configuration, every finished game, and the moves of long games in progress.

A game and its record are written in one transaction that also deletes its stored moves. After a kill, a game is
therefore complete, unfinished with its moves, or absent. Nothing that can be computed from the games is stored.

The table ``game`` duplicates frequently used parts of the records: a game's result, moves and used time. It is small,
so that the standings of a million games can be computed without reading their records.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from itertools import count
from pathlib import Path
from typing import Any, TypeVar

from quietmove.engine.common.text import printable
from quietmove.referee.config.model import split_opening
from quietmove.referee.config.validation import adapter
from quietmove.referee.game.record import GameRecord, MoveRecord
from quietmove.tournament.definition import Tournament, first_difference
from quietmove.tournament.errors import StoreError
from quietmove.tournament.games import Result, ScheduledGame
from quietmove.tournament.store.database import (
    Origin,
    connect,
    connect_to_read,
    create_file,
    errors,
    lock_file,
    require_file,
    seal,
)
from quietmove.tournament.store.rows import (
    GAME_COLUMNS,
    RESULT_COLUMNS,
    UNREADABLE,
    check_row,
    game_row,
    playable,
    read_game,
    read_result,
)
from quietmove.tournament.store.timing import TIME_COLUMNS, Times, read_end, times_of

T = TypeVar("T")

GROWING = ("rounds", "most_games")  # format settings that may increase during a tournament


class Store:
    """An open tournament store. Use it as a context manager.

    Methods that read or write raise a StoreError if the file cannot be read or written, or is damaged.

    :ivar path: the file.
    :ivar tournament: the tournament's configuration.
    :ivar is_new: whether the store was just created.
    """

    def __init__(self, path: Path, connection: sqlite3.Connection, lock: int | None = None) -> None:
        self.path = path
        self.is_new = False
        self._connection = connection
        self._lock = lock
        self._keeping: sqlite3.Connection | None = None  # the connection of the thread that plays the games
        self._kept: set[int] = set()  # games that may have stored moves to delete
        tournaments = list(self._read(("config",), "tournament", lambda row: playable(row[0])))
        if len(tournaments) != 1:
            raise StoreError(f"store: {path} is damaged: must contain one configuration, not {len(tournaments)}")
        self.tournament = tournaments[0]
        if lock is not None:
            self._kept = self.games_in_progress()

    @classmethod
    def create(cls, path: Path, tournament: Tournament) -> Store:
        """Create a new store and open it for writing. The path can be an empty file, but no other existing file."""
        if path.exists():
            require_file(path, may_be_empty=True)
        lock = lock_file(path)
        with ExitStack() as failed:
            failed.callback(os.close, lock)
            if os.fstat(lock).st_size:
                raise StoreError(f"store: {path} exists; continue it with 'resume {path}', or use another --store")
            failed.callback(path.unlink)
            create_file(path, tournament)
            failed.pop_all()
        store = cls._open_locked(path, lock)
        store.is_new = True
        return store

    @classmethod
    def create_or_resume(cls, path: Path, tournament: Tournament) -> Store:
        """Create a store, or open an existing one; raise a StoreError if it contains another tournament."""
        if not path.exists():
            return cls.create(path, tournament)
        store = cls.open_to_write(path)
        if store.tournament != tournament:
            store.close()
            key, stored, given = first_difference(store.tournament, tournament)
            raise StoreError(
                f"store: {path} contains another match: its {key} is {stored}, not {given}; continue it with "
                f"'resume {path}', or use another --store"
            )
        return store

    @classmethod
    def create_or_grow(cls, path: Path, tournament: Tournament) -> Store:
        """Open a store for writing, even if its tournament has grown, or create the store if there is none.

        An empty file, which a killed process can leave, becomes a new store.
        """
        is_there = path.exists() and path.stat().st_size > 0
        return cls.open_to_write(path) if is_there else cls.create(path, tournament)

    @classmethod
    def open_to_write(cls, path: Path) -> Store:
        """Open a store to resume its tournament; raise a StoreError if another process is writing to it."""
        require_file(path)
        return cls._open_locked(path, lock_file(path))

    @classmethod
    def open_to_read(cls, path: Path) -> Store:
        """Open a store for reading, even while another process writes to it."""
        require_file(path)
        with ExitStack() as failed, errors(path):
            connection = connect_to_read(path)
            failed.callback(connection.close)
            store = cls(path, connection)
            failed.pop_all()
        return store

    @classmethod
    def _open_locked(cls, path: Path, lock: int) -> Store:
        with ExitStack() as failed, errors(path):
            failed.callback(os.close, lock)
            connection = connect(path)
            failed.callback(connection.close)
            store = cls(path, connection, lock)
            failed.pop_all()
        return store

    def add(self, game: ScheduledGame, record: GameRecord) -> Result:
        """Write a new finished game in one transaction, and return its result.

        :raises StoreError: if the game could not be read again, or cannot be written; the store is unchanged.
        """
        try:
            result = Result.of(game, record)
            row = game_row(game, record, result)
            text = record.to_json()
            checked = check_row(GAME_COLUMNS, tuple({**row, "record": text}[name] for name in GAME_COLUMNS))
            read_game(dict(zip(GAME_COLUMNS, checked, strict=True)), self.tournament.names, self.tournament.game)
        except UNREADABLE as error:
            raise StoreError(f"store: {self.path}: game {game.number} was not written: {_reason(error)}") from None
        row["finished_at"] = datetime.now(UTC).isoformat(timespec="milliseconds")
        columns = ", ".join(row)
        values = ", ".join(f":{name}" for name in row)
        with self._writing(), self._connection:
            self._connection.execute(f"INSERT INTO game ({columns}) VALUES ({values})", row)
            self._connection.execute("INSERT OR REPLACE INTO record VALUES (?, ?)", (game.number, text))
            if game.number in self._kept:
                self._connection.execute("DELETE FROM kept_move WHERE number = ?", (game.number,))
        return result

    def keep(self, number: int, ply: int, move: MoveRecord) -> None:
        """Write a move of an unfinished game. Only the thread that plays the games may call this."""
        with self._writing():
            if self._keeping is None:
                self._keeping = connect(self.path)
            text = adapter(MoveRecord).dump_json(move, exclude_defaults=True).decode()
            with self._keeping:
                self._keeping.execute("INSERT INTO kept_move VALUES (?, ?, ?)", (number, ply, text))
            self._kept.add(number)

    def saved_moves(self, game: ScheduledGame) -> tuple[MoveRecord, ...]:
        """Return the stored moves of an unfinished game, after the opening."""
        plies = count(len(split_opening(game.opening)[1]) + 1)
        source = f"kept_move WHERE number = {game.number} ORDER BY ply"

        def read(row: Sequence[Any]) -> MoveRecord:
            if row[1] != (ply := next(plies)):
                raise ValueError(f"saved move: ply: must be {ply}, not {row[1]}")
            move: MoveRecord = row[2]
            return move

        return tuple(self._read(("number", "ply", "move"), source, read))

    def games_in_progress(self) -> set[int]:
        return set(self._read(("number",), "kept_move GROUP BY number", lambda row: row[0]))

    def results(self) -> list[Result]:
        """Return the results of the finished games, in the order of the schedule."""
        names = frozenset(self.tournament.names)
        return list(self._read(RESULT_COLUMNS, "game ORDER BY number", lambda row: read_result(row, names)))

    def games(self, where: str = "1") -> Iterator[tuple[ScheduledGame, GameRecord]]:
        """Yield the finished games with their records, in the order of the schedule.

        :param where: an SQL condition that selects some of them.
        """
        return ((game, record) for _, game, record in self.rows(where))

    def rows(self, where: str = "1") -> Iterator[tuple[Mapping[str, Any], ScheduledGame, GameRecord]]:
        """Yield the finished games as :meth:`games` does, each preceded by a mapping of its columns."""
        names = frozenset(self.tournament.names)
        name = self.tournament.game

        def read(values: Sequence[Any]) -> tuple[Mapping[str, Any], ScheduledGame, GameRecord]:
            row = dict(zip(GAME_COLUMNS, values, strict=True))
            return (row, *read_game(row, names, name))

        return self._read(GAME_COLUMNS, f"game LEFT JOIN record USING (number) WHERE {where} ORDER BY number", read)

    def game(self, number: int) -> tuple[ScheduledGame, GameRecord]:
        """Return one finished game with its record; raise a StoreError if it does not exist."""
        for game in self.games(f"number = {number}"):
            return game
        raise StoreError(f"store: {self.path} contains no game {number}")

    def times(self) -> Times:
        """Return the finished games' end times and their engines' usage."""
        return times_of(self._read(TIME_COLUMNS, "game", tuple))

    def ends(self) -> Iterator[tuple[int, float]]:
        """Yield the number and end time of each finished game, in seconds since 1970."""
        return self._read(("number", "finished_at"), "game", read_end)

    def origin(self) -> Origin:
        """Return the tournament's origin: the command line, machine and version that created it."""
        origin: Origin = next(self._read(("origin",), "tournament", lambda row: row[0]))
        return origin

    def is_own(self) -> bool:
        """Return whether this user created the store's configuration on this machine, or agreed to it here."""
        with errors(self.path):
            config, made = self._connection.execute("SELECT config, machine FROM tournament").fetchone()
        return made == seal(str(config)) and self.path.stat().st_uid == os.geteuid()

    def make_own(self) -> None:
        """Record that the user agreed to run the store's programs; another user's file needs agreement every time."""
        with errors(self.path), self._connection:
            (config,) = self._connection.execute("SELECT config FROM tournament").fetchone()
            self._connection.execute("UPDATE tournament SET machine = ?", (seal(str(config)),))

    def enlarge(self, tournament: Tournament) -> None:
        """Add rounds, games or engines to the tournament.

        Openings and seeds derive from names and rounds, so games already played stay the same.

        :param tournament: this store's tournament with more rounds, games or engines.
        :raises StoreError: if anything else differs, or an engine joins in a round with finished games.
        """
        engines = len(self.tournament.engines)
        arrivals = len(self.tournament.arrivals)
        newcomers = tournament.arrivals[arrivals:]
        last = max((result.id.round for result in self.results()), default=0) if newcomers else 0
        if any(arrival.round <= last for arrival in newcomers):
            raise StoreError(f"store: {self.path}: new engines must join in round {last + 1} or later")
        before = dict(self.tournament.settings)
        after = dict(tournament.settings)
        grown = {key for key in GROWING if key in before and float(after.get(key, 0)) >= float(before[key])}
        same = tuple((key, before[key] if key in grown else value) for key, value in after.items())
        begun: dict[str, Any] = {"engines": tournament.engines[:engines], "arrivals": tournament.arrivals[:arrivals]}
        if replace(tournament, settings=same, **begun) != self.tournament:
            least = ", ".join(f"{key} of {before[key]} or more" for key in GROWING if key in before)
            raise StoreError(f"store: {self.path}: only {least or 'nothing'} may change; all else must stay the same")
        config = tournament.to_json()
        is_own = self.is_own()
        with errors(self.path), self._connection:
            self._connection.execute("UPDATE tournament SET config = ?", (config,))
            if is_own:
                self._connection.execute("UPDATE tournament SET machine = ?", (seal(config),))
        self.tournament = tournament

    def count(self) -> int:
        """Return the number of finished games."""
        with errors(self.path):
            return int(self._connection.execute("SELECT count(*) FROM game").fetchone()[0])

    def count_plies(self, numbers: Iterable[int]) -> dict[int, int]:
        """Return how many moves each of these finished games has, including its opening, by game number.

        The column ``moves`` cannot be split to count them, because the moves of a user's game may contain commas.
        """
        source = f"record WHERE number IN ({', '.join(map(str, numbers))})"
        with errors(self.path):
            return dict(self._connection.execute(f"SELECT number, json_array_length(record, '$.moves') FROM {source}"))

    def close(self) -> None:
        """Close the file and let other processes write to it."""
        self._connection.close()
        if self._keeping is not None:
            self._keeping.close()
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None

    def discard(self) -> None:
        """Close the file and delete it."""
        self.close()
        self.path.unlink()

    def __enter__(self) -> Store:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @contextmanager
    def _writing(self) -> Iterator[None]:
        """Extend errors raised while writing a game with instructions on how to continue."""
        try:
            with errors(self.path):
                yield
        except StoreError as error:
            if isinstance(error.__cause__, sqlite3.IntegrityError):  # resuming would fail again
                raise StoreError(f"{error}; the store was edited: 'verify {self.path}' lists its faults") from error
            raise StoreError(f"{error}; its games are intact; continue with 'resume {self.path}'") from error

    def _read(self, columns: tuple[str, ...], source: str, read: Callable[[Sequence[Any]], T]) -> Iterator[T]:
        """Yield the result of ``read`` for each row of ``source``. If a row is damaged, the error names it.

        :param columns: the columns to read; the first one identifies a damaged row.
        :param source: a table, optionally followed by SQL clauses.
        """
        with errors(self.path):
            for row in self._connection.execute(f"SELECT {', '.join(columns)} FROM {source}"):
                try:
                    value = read(check_row(columns, row))
                except UNREADABLE as error:
                    what = "its configuration" if source == "tournament" else printable(f"game {row[0]}", 60)
                    raise StoreError(f"store: {self.path} is damaged: {what}: {_reason(error)}") from None
                yield value


def _reason(error: Exception) -> str:
    return printable(" ".join(str(error).split()), 200)
