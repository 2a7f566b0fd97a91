"""The tournament in one SQLite file: its configuration, every finished game, and the moves of long games that run.

A game and its record are written in one transaction, in which its kept moves are deleted: a killed process leaves a
game whole, or unfinished with its moves, or not at all.
Nothing that can be computed from the games is stored beside them.

The table ``game`` repeats of the records what is asked most often: how a game ended, its moves and the time that was
used. It is short, so the table of a million games is computed without their records.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable, Iterator, Mapping, Sequence
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
from quietmove.tournament.definition import Tournament
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

GROWING = ("rounds", "most_games")  # settings of formats that may become greater while a tournament is played


class Store:
    """An open tournament store; a context manager.

    Whatever reads or writes raises a StoreError if the file cannot be read or written, or is damaged.

    :ivar path: the file.
    :ivar tournament: what is being played.
    :ivar is_new: whether it was created, and not opened.
    """

    def __init__(self, path: Path, connection: sqlite3.Connection, lock: int | None = None) -> None:
        self.path = path
        self.is_new = False
        self._connection = connection
        self._lock = lock
        self._keeping: sqlite3.Connection | None = None  # the connection of the thread that plays the games
        self._kept: set[int] = set()  # the numbers of games of which moves may be kept; others need no deletion
        tournaments = list(self._read(("config",), "tournament", lambda row: playable(row[0])))
        if len(tournaments) != 1:
            raise StoreError(f"store: {path} is damaged: its configuration: must be one, not {len(tournaments)}")
        self.tournament = tournaments[0]
        if lock is not None:
            self._kept = self.games_in_progress()

    @classmethod
    def create(cls, path: Path, tournament: Tournament) -> Store:
        """Create a new store and open it for writing; an empty file may become one, and any other is an error."""
        if path.exists():
            require_file(path, may_be_empty=True)
        lock = lock_file(path)
        with ExitStack() as failed:
            failed.callback(os.close, lock)
            if os.fstat(lock).st_size:
                raise StoreError(f"store: {path} exists; 'resume {path}' plays on, or give another --store")
            failed.callback(path.unlink)
            create_file(path, tournament)
            failed.pop_all()
        store = cls._open_locked(path, lock)
        store.is_new = True
        return store

    @classmethod
    def create_or_resume(cls, path: Path, tournament: Tournament) -> Store:
        """Create a store, or open one of the same tournament for writing; a StoreError for one of any other."""
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
    def create_or_grow(cls, path: Path, tournament: Tournament) -> Store:
        """Open a store for writing that may have grown since it was created, or create it.

        A file that a kill left empty becomes a store.
        """
        is_there = path.exists() and path.stat().st_size > 0
        return cls.open_to_write(path) if is_there else cls.create(path, tournament)

    @classmethod
    def open_to_write(cls, path: Path) -> Store:
        """Open the store of a tournament that is to be resumed; a StoreError if another process writes to it."""
        require_file(path)
        return cls._open_locked(path, lock_file(path))

    @classmethod
    def open_to_read(cls, path: Path) -> Store:
        """Open a store to be looked at, also while another process writes it."""
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
        """Write a finished game, which was not written before, in one transaction, and return how it ended."""
        result = Result.of(game, record)
        row = game_row(game, record, result)
        row["finished_at"] = datetime.now(UTC).isoformat(timespec="milliseconds")
        columns = ", ".join(row)
        values = ", ".join(f":{name}" for name in row)
        with self._writing(), self._connection:
            self._connection.execute(f"INSERT INTO game ({columns}) VALUES ({values})", row)
            self._connection.execute("INSERT OR REPLACE INTO record VALUES (?, ?)", (game.number, record.to_json()))
            if game.number in self._kept:
                self._connection.execute("DELETE FROM kept_move WHERE number = ?", (game.number,))
        return result

    def keep(self, number: int, ply: int, move: MoveRecord) -> None:
        """Write a move of a game that has not ended; from the one thread that plays the games."""
        with self._writing():
            if self._keeping is None:
                self._keeping = connect(self.path)
            text = adapter(MoveRecord).dump_json(move, exclude_defaults=True).decode()
            with self._keeping:
                self._keeping.execute("INSERT INTO kept_move VALUES (?, ?, ?)", (number, ply, text))
            self._kept.add(number)

    def saved_moves(self, game: ScheduledGame) -> tuple[MoveRecord, ...]:
        """Return the moves after the opening that are kept of a game that has not ended."""
        plies = count(len(split_opening(game.opening)[1]) + 1)
        source = f"kept_move WHERE number = {game.number} ORDER BY ply"

        def read(row: Sequence[Any]) -> MoveRecord:
            if row[1] != (ply := next(plies)):
                raise ValueError(f"kept move: ply: must be {ply}, not {row[1]}")
            move: MoveRecord = row[2]
            return move

        return tuple(self._read(("number", "ply", "move"), source, read))

    def games_in_progress(self) -> set[int]:
        return set(self._read(("number",), "kept_move GROUP BY number", lambda row: row[0]))

    def results(self) -> list[Result]:
        """Return how the finished games ended, in the order of the schedule."""
        names = frozenset(self.tournament.names)
        return list(self._read(RESULT_COLUMNS, "game ORDER BY number", lambda row: read_result(row, names)))

    def games(self, where: str = "1") -> Iterator[tuple[ScheduledGame, GameRecord]]:
        """Yield the finished games whole, in the order of the schedule.

        :param where: a condition in SQL that chooses some.
        """
        return ((game, record) for _, game, record in self.rows(where))

    def rows(self, where: str = "1") -> Iterator[tuple[Mapping[str, Any], ScheduledGame, GameRecord]]:
        """Yield the finished games as :meth:`games` does, each behind its columns by their names."""
        names = frozenset(self.tournament.names)
        name = self.tournament.game

        def read(values: Sequence[Any]) -> tuple[Mapping[str, Any], ScheduledGame, GameRecord]:
            row = dict(zip(GAME_COLUMNS, values, strict=True))
            return (row, *read_game(row, names, name))

        return self._read(GAME_COLUMNS, f"game LEFT JOIN record USING (number) WHERE {where} ORDER BY number", read)

    def game(self, number: int) -> tuple[ScheduledGame, GameRecord]:
        """Return one finished game whole; a StoreError if there is none with this number."""
        for game in self.games(f"number = {number}"):
            return game
        raise StoreError(f"store: {self.path} holds no game {number}")

    def times(self) -> Times:
        """Return when the finished games ended, and what time their engines used."""
        return times_of(self._read(TIME_COLUMNS, "game", tuple))

    def ends(self) -> Iterator[tuple[int, float]]:
        """Yield the number of each finished game, and when it ended, in seconds since 1970."""
        return self._read(("number", "finished_at"), "game", read_end)

    def origin(self) -> Origin:
        """Return what it was begun by."""
        found: Origin = next(self._read(("origin",), "tournament", lambda row: row[0]))
        return found

    def is_own(self) -> bool:
        """Return whether what it runs is what this user began on this machine, or agreed to here."""
        with errors(self.path):
            config, made = self._connection.execute("SELECT config, machine FROM tournament").fetchone()
        return made == seal(str(config)) and self.path.stat().st_uid == os.geteuid()

    def make_own(self) -> None:
        """Note that the user agrees to what it runs; of another user's file only this once."""
        with errors(self.path), self._connection:
            (config,) = self._connection.execute("SELECT config FROM tournament").fetchone()
            self._connection.execute("UPDATE tournament SET machine = ?", (seal(str(config)),))

    def enlarge(self, tournament: Tournament) -> None:
        """Let more be played than was planned.

        Openings and seeds follow from names and rounds, so no game that was played changes. An engine arrives in a
        round of which no game has ended.

        :param tournament: the one of this store with more rounds, games or engines.
        :raises StoreError: if anything else differs, or a round has begun.
        """
        engines = len(self.tournament.engines)
        arrivals = len(self.tournament.arrivals)
        came = tournament.arrivals[arrivals:]
        last = max((result.id.round for result in self.results()), default=0) if came else 0
        if any(arrival.round <= last for arrival in came):
            raise StoreError(f"store: {self.path}: who arrives must begin in round {last + 1} or later")
        before = dict(self.tournament.settings)
        after = dict(tournament.settings)
        grown = {key for key in GROWING if key in before and float(after.get(key, 0)) >= float(before[key])}
        same = tuple((key, before[key] if key in grown else value) for key, value in after.items())
        begun: dict[str, Any] = {"engines": tournament.engines[:engines], "arrivals": tournament.arrivals[:arrivals]}
        if replace(tournament, settings=same, **begun) != self.tournament:
            least = ", ".join(f"{key} of {before[key]} or more" for key in GROWING if key in before)
            raise StoreError(f"store: {self.path}: it may only be given {least or 'nothing'}, with all else as it is")
        config = tournament.to_json()
        is_own = self.is_own()
        with errors(self.path), self._connection:
            self._connection.execute("UPDATE tournament SET config = ?", (config,))
            if is_own:
                self._connection.execute("UPDATE tournament SET machine = ?", (seal(config),))
        self.tournament = tournament

    def count(self) -> int:
        """Return how many games have been finished."""
        with errors(self.path):
            return int(self._connection.execute("SELECT count(*) FROM game").fetchone()[0])

    def close(self) -> None:
        """Close the file and let others write to it."""
        self._connection.close()
        if self._keeping is not None:
            self._keeping.close()
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None

    def discard(self) -> None:
        """Close the file and remove it."""
        self.close()
        self.path.unlink()

    def __enter__(self) -> Store:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @contextmanager
    def _writing(self) -> Iterator[None]:
        """Turn what goes wrong when a game is written into an error that says how to play on."""
        try:
            with errors(self.path):
                yield
        except StoreError as error:
            raise StoreError(f"{error}; its games are intact, and 'resume {self.path}' plays on") from error

    def _read(self, columns: tuple[str, ...], source: str, read: Callable[[Sequence[Any]], T]) -> Iterator[T]:
        """Yield what ``read`` makes of each row of ``source``; every value of a store comes from here.

        :param columns: what is read; the first one names a damaged row.
        :param source: a table, with what follows it in SQL.
        """
        with errors(self.path):
            for row in self._connection.execute(f"SELECT {', '.join(columns)} FROM {source}"):
                try:
                    value = read(check_row(columns, row))
                except UNREADABLE as error:
                    why = printable(" ".join(str(error).split()), 200)
                    what = "its configuration" if source == "tournament" else printable(f"game {row[0]}", 60)
                    raise StoreError(f"store: {self.path} is damaged: {what}: {why}") from None
                yield value
