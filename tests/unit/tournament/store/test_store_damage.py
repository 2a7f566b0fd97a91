"""Stores that are damaged, edited, no files, or on a full disk."""

from __future__ import annotations

import json
import os
import random
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from quietmove.referee.game.record import GameRecord, MoveRecord
from quietmove.tournament.errors import StoreError
from quietmove.tournament.formats import plan_of
from quietmove.tournament.games import ScheduledGame
from quietmove.tournament.running.runner import game_spec
from quietmove.tournament.store.store import Store
from tests.fakes.tournament_store import LITTLE as TOURNAMENT

GAMES = tuple(plan_of(TOURNAMENT).next_games([]))

WRONG = (None, True, -1, 10**40, 1.5, float("nan"), "zz", [], {}, [[]], {"a": 1})


def add(store: Store, game: ScheduledGame) -> None:
    moves = (MoveRecord("f5", "black", 3),)
    store.add(game, GameRecord(game_spec(TOURNAMENT, game), moves, "finished", None, 0.5, 0, "well played"))


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """Return a store with all its games, as bytes."""
    path = tmp_path_factory.mktemp("sound") / "t.sqlite"
    with Store.create(path, TOURNAMENT) as store:
        for game in GAMES:
            add(store, game)
    return path.read_bytes()


def read(path: Path) -> str:
    """Read everything; return the error, or nothing where there was none."""
    error = ""
    try:
        with Store.open_to_read(path) as store:
            store.results()
            list(store.games())
    except StoreError as caught:
        error = str(caught)
    assert not error or str(path) in error
    assert error.isprintable()
    return error


def edited(path: Path, sound: bytes, query: str, *values: object) -> Path:
    """Return the sound store after one change."""
    path.write_bytes(sound)
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute(query, values)
    return path


def places(document: Any, place: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Yield the way to each value of a JSON document; of an array, to the first element alone."""
    yield place
    if isinstance(document, dict):
        for key in document:
            yield from places(document[key], (*place, key))
    elif document and isinstance(document, list):
        yield from places(document[0], (*place, 0))


def changed(document: Any, place: tuple[Any, ...], value: object) -> Any:
    if not place:
        return value
    copy: Any = dict(document) if isinstance(document, dict) else list(document)
    copy[place[0]] = changed(document[place[0]], place[1:], value)
    return copy


def test_bytes_that_were_changed_or_cut_off_give_one_error_at_most(tmp_path: Path, sound: bytes) -> None:
    lots, path = random.Random(1), tmp_path / "t.sqlite"
    failed = 0
    for count in (1, 5, 50, 500, 5000) * 4:
        data = bytearray(sound)
        for _ in range(count):
            data[lots.randrange(len(data))] = lots.randrange(256)
        path.write_bytes(data)
        failed += bool(read(path))
    for _ in range(8):
        path.write_bytes(sound[: lots.randrange(len(sound))])
        failed += bool(read(path))
    assert failed > 8
    path.write_bytes(sound)
    assert read(path) == ""


@pytest.mark.parametrize(("table", "column"), [("tournament", "config"), ("record", "record")])
def test_no_value_of_the_documents_is_believed(tmp_path: Path, sound: bytes, table: str, column: str) -> None:
    path = tmp_path / "t.sqlite"
    path.write_bytes(sound)
    with closing(sqlite3.connect(path)) as connection:
        document = json.loads(connection.execute(f"SELECT {column} FROM {table}").fetchone()[0])
    lots, failed = random.Random(2), 0
    for place in places(document):
        text = json.dumps(changed(document, place, lots.choice(WRONG)))
        failed += bool(read(edited(path, sound, f"UPDATE {table} SET {column} = ?", text)))
    assert failed > 10


@pytest.mark.parametrize(
    ("query", "error"),
    [
        ("UPDATE game SET black = 'zz' WHERE number = 2", "game 2: engine: must be one of the tournament's, not 'zz'"),
        ("UPDATE game SET opening = x'ff' WHERE number = 2", "game 2: "),
        ("UPDATE record SET record = '{}' WHERE number = 2", "game 2: "),
        ("UPDATE record SET record = ? WHERE number = 2", "game 2: "),
        ("DELETE FROM record WHERE number = 2", "game 2: "),
        ("DELETE FROM tournament", "its configuration: must be one, not 0"),
        ("INSERT INTO tournament SELECT * FROM tournament", "its configuration: must be one, not 2"),
    ],
)
def test_what_no_tournament_writes_is_refused(tmp_path: Path, sound: bytes, query: str, error: str) -> None:
    path = edited(tmp_path / "t.sqlite", sound, query, *["[" * 100_000] * query.count("?"))
    assert read(path).startswith(f"store: {path} is damaged: {error}")


@pytest.mark.parametrize(
    "change",
    [
        "round = 'x'",
        "points_black = 0.7",
        "margin_black = 'x'",
        "seed = -1",
        "color = 'x'",
        "moves = NULL",
        "ms_black = 0.5",
    ],
)
def test_the_tables_take_nothing_else(tmp_path: Path, sound: bytes, change: str) -> None:
    with pytest.raises(sqlite3.IntegrityError):
        edited(tmp_path / "t.sqlite", sound, f"UPDATE game SET {change} WHERE number = 2")


def test_what_is_no_file_is_no_store(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "empty").touch()
    for path in (tmp_path, tmp_path / "pipe", Path("/dev/null"), Path("/dev/full"), tmp_path / "empty"):
        assert read(path) == f"store: {path} is no tournament store"


def test_a_full_disk_is_one_error_and_loses_no_finished_game(tmp_path: Path) -> None:
    path = tmp_path / "t.sqlite"
    with Store.create(path, TOURNAMENT) as store:
        add(store, GAMES[0])
        (pages,) = store._connection.execute("PRAGMA page_count").fetchone()
        store._connection.execute(f"PRAGMA max_page_count = {pages + 1}")  # SQLite says the same of a full disk
        with pytest.raises(StoreError) as caught:  # noqa: PT012 (how many games find room is not known)
            for game in GAMES[1:]:
                add(store, game)
    with Store.open_to_write(path) as store:
        stored = len(store.results())
        add(store, GAMES[stored])
    assert str(caught.value) == (
        f"store: {path}: database or disk is full; its games are intact, and 'resume {path}' plays on"
    )
