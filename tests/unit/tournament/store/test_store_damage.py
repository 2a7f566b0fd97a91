"""Stores that are damaged, edited, no files, or on a full disk."""

from __future__ import annotations

import json
import os
import random
import re
import sqlite3
from collections.abc import Iterator
from contextlib import closing, suppress
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings, strategies

from quietmove.referee.config.validation import adapter
from quietmove.referee.game.record import GameRecord, MoveRecord
from quietmove.tournament.cli import run_command_line
from quietmove.tournament.errors import StoreError
from quietmove.tournament.formats import plan_of
from quietmove.tournament.games import ScheduledGame, game_spec
from quietmove.tournament.store.rows import UNREADABLE
from quietmove.tournament.store.store import Store
from quietmove.tournament.store.timing import USED_COLUMNS
from tests.fakes.tournament_store import a_tournament

TOURNAMENT = a_tournament("little", ("a", "b", "c"))
GAMES = tuple(plan_of(TOURNAMENT).next_games([]))

HOSTILE = "foreign [red] \x1b[35m\x07\u202e\n\r\x85\x9b\x7f"  # text with control sequences of a terminal
WRONG = (None, True, -1, 10**40, 1.5, float("nan"), "zz", [], {}, [[]], {"a": 1})
VALUES = (  # a value of each SQLite type, as an SQL literal
    *("NULL", "-1", f"{2**31}", f"{2**62}", f"{-(2**63)}", "0.7", "9e999"),
    *("''", "'zz'", "'[]'", "CAST(x'ff' AS TEXT)", "char(0)", "x'ff'"),
    f"char({', '.join(str(ord(letter)) for letter in HOSTILE)})",
)
COLUMNS = {
    "tournament": ("config", "machine", "origin"),
    "game": (
        *("number", "round", "black", "white", "color", "opening", "seed", "moves", "points_black", "margin_black"),
        *("reason", "loser", "finished_at", *USED_COLUMNS),
    ),
    "record": ("number", "record"),
    "kept_move": ("number", "ply", "move"),
}
COMMANDS = (
    *("standings", "standings --json", "games", "games 2", "games --json", "verify"),
    *("export --format csv", "export --format json", "resume --yes --concurrency 1"),
)


def add(store: Store, game: ScheduledGame) -> None:
    moves = (MoveRecord("f5", "black", 3),)
    store.add(game, GameRecord(game_spec(TOURNAMENT, game), moves, "finished", None, 0.5, 0, "well played"))


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """Return a store, as bytes, with an unfinished game that has saved moves."""
    return sound_store(tmp_path_factory.mktemp("sound") / "t.sqlite")


def sound_store(path: Path) -> bytes:
    with Store.create(path, TOURNAMENT) as store:
        for game in GAMES[:5]:
            add(store, game)
        store.keep(GAMES[5].number, 2, MoveRecord("d6", "white", 20))
        store.keep(GAMES[5].number, 3, MoveRecord("c3", "black", 30))
    return path.read_bytes()


def read(path: Path) -> str:
    """Read everything; return the error, or nothing where there was none."""
    error = ""
    try:
        with Store.open_to_read(path) as store:
            store.results()
            store.times()
            store.origin()
            store.is_own()
            list(store.games())
            for game in GAMES:
                store.saved_moves(game)
    except StoreError as caught:
        error = str(caught)
    assert not error or str(path) in error
    assert error.isprintable()
    return error


def run_command(path: Path, capsys: pytest.CaptureFixture[str], command: str) -> None:
    """Run a command that reads a store: no exception, one line of error at most, printable output."""
    name, *options = command.split()
    status = run_command_line([name, str(path), *options])
    out, err = capsys.readouterr()
    assert status in (0, 1, 2)
    assert sum(line.startswith("error: ") for line in err.splitlines()) <= 1
    assert all(line.isprintable() for line in (err if name == "export" else out + err).split("\n")), command


def connect(path: Path) -> closing[sqlite3.Connection]:
    """Connect without waiting for the disk."""
    connection = sqlite3.connect(path)
    connection.execute("PRAGMA synchronous = OFF")
    return closing(connection)


def define(path: Path, table: str, definition: str) -> None:
    """Change the definition of a table, and none of its rows."""
    with connect(path) as connection, connection:
        connection.execute("PRAGMA writable_schema = ON")
        connection.execute("UPDATE sqlite_master SET sql = ? WHERE name = ?", (definition, table))


def edited(path: Path, sound: bytes, query: str, *values: object) -> Path:
    path.write_bytes(sound)
    with connect(path) as connection, connection:
        connection.execute(query, values)
    return path


def each_value(path: Path, sound: bytes, table: str, column: str) -> Iterator[None]:
    """Write the store again and again, each time with another value in the last row of a column."""
    key = "ply" if table == "kept_move" else "rowid"
    path.write_bytes(sound)
    with connect(path) as connection:
        (definition,) = connection.execute("SELECT sql FROM sqlite_master WHERE name = ?", (table,)).fetchone()
    for value in VALUES:
        path.write_bytes(sound)
        define(path, table, definition.replace("NOT NULL", ""))
        with connect(path) as connection, connection, suppress(sqlite3.IntegrityError):
            connection.execute(f"UPDATE {table} SET {column} = {value} WHERE {key} = (SELECT max({key}) FROM {table})")
        define(path, table, definition)
        yield


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
def test_no_value_of_the_documents_is_believed(
    tmp_path: Path, sound: bytes, table: str, column: str, capsys: pytest.CaptureFixture[str], monkeypatch: Any
) -> None:
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "t.sqlite"
    path.write_bytes(sound)
    with connect(path) as connection:
        document = json.loads(connection.execute(f"SELECT {column} FROM {table}").fetchone()[0])
    lots, failed, accepted = random.Random(2), 0, 0
    for place, value in ((place, value) for place in places(document) for value in (lots.choice(WRONG), HOSTILE)):
        text = json.dumps(changed(document, place, value))
        if read(edited(path, sound, f"UPDATE {table} SET {column} = ?", text)):
            failed += 1
        else:
            run_command(path, capsys, COMMANDS[accepted % len(COMMANDS)])
            accepted += 1
    assert failed > 10


@pytest.mark.parametrize(
    ("query", "error"),
    [
        (
            "UPDATE game SET black = 'zz' WHERE number = 2",
            "game 2: black: must be an engine of the tournament, not 'zz'",
        ),
        ("UPDATE record SET record = '{}' WHERE number = 2", "game 2: "),
        ("UPDATE record SET record = ? WHERE number = 2", "game 2: "),
        ("DELETE FROM record WHERE number = 2", "game 2: "),
        ("DELETE FROM tournament", "must contain one configuration, not 0"),
        ("INSERT INTO tournament SELECT * FROM tournament", "must contain one configuration, not 2"),
    ],
)
def test_what_no_tournament_writes_is_refused(tmp_path: Path, sound: bytes, query: str, error: str) -> None:
    path = edited(tmp_path / "t.sqlite", sound, query, *["[" * 100_000] * query.count("?"))
    assert read(path).startswith(f"store: {path} is damaged: {error}")


@pytest.mark.parametrize(("table", "column"), [(table, column) for table in COLUMNS for column in COLUMNS[table]])
def test_no_value_of_a_column_is_believed(
    tmp_path: Path, sound: bytes, table: str, column: str, capsys: pytest.CaptureFixture[str], monkeypatch: Any
) -> None:
    """A file may have values that its own constraints do not allow; a wrong one is one error, at its row."""
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "t.sqlite"
    refused = accepted = 0
    for _ in each_value(path, sound, table, column):
        if error := read(path):
            refused += 1
            assert re.search(": (game .*|its configuration): [a-z_]+: .*must ", error)
        else:
            run_command(path, capsys, COMMANDS[(accepted + len(column)) % len(COMMANDS)])
            accepted += 1
    assert refused or (table, column) in (("kept_move", "number"), ("tournament", "machine"))


def test_what_is_no_file_is_no_store(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "empty").touch()
    for path in (tmp_path, tmp_path / "pipe", Path("/dev/null"), Path("/dev/full"), tmp_path / "empty"):
        assert read(path) == f"store: {path} is not a tournament store"


def test_a_game_under_another_number_is_not_to_be_resumed(tmp_path: Path) -> None:
    path = tmp_path / "t.sqlite"
    with Store.create(path, TOURNAMENT) as store:
        add(store, GAMES[0])
        store._connection.execute("UPDATE game SET number = 9")
        store._connection.commit()
        error = rf"^store: {path}: UNIQUE constraint failed.*; the store was edited: 'verify {path}' lists its faults$"
        with pytest.raises(StoreError, match=error):
            add(store, GAMES[0])


def test_a_full_disk_is_one_error_and_loses_no_finished_game(tmp_path: Path) -> None:
    path = tmp_path / "t.sqlite"
    with Store.create(path, TOURNAMENT) as store:
        add(store, GAMES[0])
        (pages,) = store._connection.execute("PRAGMA page_count").fetchone()
        store._connection.execute(f"PRAGMA max_page_count = {pages + 1}")  # SQLite reports this like a full disk
        with pytest.raises(StoreError) as caught:  # noqa: PT012 (how many games find room is not known)
            for game in GAMES[1:]:
                add(store, game)
    with Store.open_to_write(path) as store:
        stored = len(store.results())
        add(store, GAMES[stored])
    assert str(caught.value) == (
        f"store: {path}: database or disk is full; its games are intact; continue with 'resume {path}'"
    )


FIELDS = [field.name for field in fields(GameRecord) if field.name != "spec"]
MOVE_FIELDS = [field.name for field in fields(MoveRecord)]
ANYTHING = strategies.one_of(
    strategies.none(),
    strategies.booleans(),
    strategies.integers(),
    strategies.floats(),
    strategies.sampled_from(
        (10**16, -(10**16), 2**63, 0.5, HOSTILE, "\ud800", "\0", "finished", "black", "f5", "opening")
    ),
    strategies.lists(strategies.integers(), max_size=2).map(tuple),
    strategies.just(object()),
)


@settings(max_examples=100, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    changes=strategies.dictionaries(strategies.sampled_from(FIELDS), ANYTHING, max_size=2),
    in_moves=strategies.dictionaries(strategies.sampled_from(MOVE_FIELDS), ANYTHING, max_size=2),
    repeats=strategies.sampled_from((0, 1, 1000)),
)
@example(changes={}, in_moves={"elapsed_ms": -1}, repeats=1)
def test_a_record_that_cannot_be_read_is_not_written(
    tmp_path: Path, changes: dict[str, Any], in_moves: dict[str, Any], repeats: int
) -> None:
    """A record with valid fields is written, unless a sum of its moves is negative or too large for SQLite."""
    move = MoveRecord("f5", "black", 3, nodes=10)
    for name, value in in_moves.items():  # as unpickling does, which calls no constructor
        object.__setattr__(move, name, value)
    game = GAMES[0]
    record = GameRecord(game_spec(TOURNAMENT, game), (move,) * repeats, "finished", None, 0.5, 0, "well played")
    for name, value in changes.items():
        object.__setattr__(record, name, value)
    path = tmp_path / "t.sqlite"
    path.unlink(missing_ok=True)
    refusal = ""
    with Store.create(path, TOURNAMENT) as store:
        try:
            store.add(game, record)
        except StoreError as error:
            refusal = str(error)
        assert store.count() == (not refusal)
    assert read(path) == ""
    assert not refusal or refusal.startswith(f"store: {path}: game 1 was not written: ")
    if refusal and not any(f": {column}: " in refusal for column in USED_COLUMNS):
        with pytest.raises(UNREADABLE):
            adapter(GameRecord).validate_json(record.to_json(), strict=True)
