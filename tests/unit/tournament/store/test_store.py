from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from quietmove.referee.config.model import GameSpec
from quietmove.referee.game.record import GameRecord, MoveRecord
from quietmove.tournament.errors import StoreError
from quietmove.tournament.formats import plan_of
from quietmove.tournament.games import ScheduledGame, game_spec
from quietmove.tournament.store.database import SCHEMA_VERSION
from quietmove.tournament.store.store import Store
from tests.fakes.tournament_store import LITTLE as TOURNAMENT

GAMES = tuple(plan_of(TOURNAMENT).next_games([]))


def record(spec: GameSpec, points_black: float = 1.0) -> GameRecord:
    margin = {1.0: 10, 0.5: 0, 0.0: -10}[points_black]
    return GameRecord(spec, (MoveRecord("f5", "black", 3),), "finished", None, points_black, margin, "well played")


def add(store: Store, game: ScheduledGame, points_black: float = 1.0) -> GameRecord:
    played = record(game_spec(store.tournament, game), points_black)
    store.add(game, played)
    return played


def test_what_is_stored_is_read_back(tmp_path: Path) -> None:
    path = tmp_path / "t.sqlite"
    games = GAMES
    with Store.create(path, TOURNAMENT) as store:
        records = [add(store, games[1], 0.5), add(store, games[0])]
        with pytest.raises(StoreError, match="UNIQUE"):
            add(store, games[0])
    with Store.open_to_read(path) as store:
        assert store.tournament == TOURNAMENT
        assert list(store.games()) == [(games[0], records[1]), (games[1], records[0])]
        results = store.results()
        assert [result.id for result in results] == [game.id for game in games[:2]]
        assert [(result.points_black, result.margin_black, result.reason) for result in results] == [
            (1.0, 10, "finished"),
            (0.5, 0, "finished"),
        ]
        assert [(result.opening, result.moves) for result in results] == [(",".join(GAMES[0].opening), "f5")] * 2
        with pytest.raises(StoreError, match="readonly"):
            add(store, games[2])
    with closing(sqlite3.connect(path)) as connection:
        row = connection.execute("SELECT black, white, opening, moves, points_black, seed FROM game").fetchone()
    assert row == (games[0].id.black, games[0].id.white, ",".join(games[0].opening), "f5", 1.0, games[0].seed)
    assert [file.name for file in tmp_path.iterdir()] == ["t.sqlite"]


def test_a_game_without_its_record_is_not_stored(tmp_path: Path) -> None:
    """The row of the table and the record are one transaction, so that a full disk between them stores neither."""
    path = tmp_path / "t.sqlite"
    with Store.create(path, TOURNAMENT) as store, sqlite3.connect(path) as other:
        other.execute("CREATE TRIGGER full BEFORE INSERT ON record BEGIN SELECT RAISE(ABORT, 'disk is full'); END")
        other.commit()
        with pytest.raises(StoreError, match="disk is full"):
            add(store, GAMES[0])
        assert store.results() == []
        other.execute("DROP TRIGGER full")
        other.commit()
        add(store, GAMES[0])
    with Store.open_to_read(path) as store:
        assert len(list(store.games())) == 1


def test_a_store_is_never_overwritten(tmp_path: Path) -> None:
    path = tmp_path / "t.sqlite"
    Store.create(path, TOURNAMENT).close()
    before = path.read_bytes()
    with pytest.raises(
        StoreError, match=r"t.sqlite exists; continue it with 'resume .*t.sqlite', or use another --store$"
    ):
        Store.create(path, TOURNAMENT)
    assert path.read_bytes() == before
    assert [file.name for file in tmp_path.iterdir()] == ["t.sqlite"]


def test_what_is_no_store_is_never_overwritten(tmp_path: Path) -> None:
    path = tmp_path / "t.sqlite"
    path.write_text("precious")
    for other in (path, tmp_path, Path("/dev/null")):
        with pytest.raises(StoreError, match=str(other)):
            Store.create(other, TOURNAMENT)
    assert path.read_text() == "precious"
    assert [file.name for file in tmp_path.iterdir()] == ["t.sqlite"]
    assert Path("/dev/null").exists()


def test_a_creation_that_was_killed_leaves_nothing_in_the_way(tmp_path: Path) -> None:
    (tmp_path / "t.sqlite").touch()
    (tmp_path / "t.sqlite-wal").write_text("games of a store that was deleted")
    with Store.create(tmp_path / "t.sqlite", TOURNAMENT) as store:
        assert store.results() == []


def test_what_is_no_store_is_refused(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="there is no file"):
        Store.open_to_read(tmp_path / "none.sqlite")
    with pytest.raises(StoreError, match="there is no file"):
        Store.open_to_write(tmp_path / "none.sqlite")
    (tmp_path / "text").write_text("hello " * 1000)
    with pytest.raises(StoreError, match="text: file is not a database"):
        Store.open_to_write(tmp_path / "text")
    sqlite3.connect(tmp_path / "other.sqlite").execute("CREATE TABLE t (x)").connection.close()
    with pytest.raises(StoreError, match=r"other.sqlite is not a tournament store"):
        Store.open_to_read(tmp_path / "other.sqlite")
    with pytest.raises(StoreError, match="cannot be written"):
        Store.create(tmp_path / "no folder" / "t.sqlite", TOURNAMENT)
    assert {file.name for file in tmp_path.iterdir()} == {"text", "other.sqlite"}


def test_another_version_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "t.sqlite"
    Store.create(path, TOURNAMENT).close()
    connection = sqlite3.connect(path)
    connection.execute(f"PRAGMA user_version = {SCHEMA_VERSION + 1}")
    connection.close()
    with pytest.raises(StoreError, match=f"schema version: must be {SCHEMA_VERSION}, not {SCHEMA_VERSION + 1}$"):
        Store.open_to_read(path)
