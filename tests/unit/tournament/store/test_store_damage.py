"""Stores that are damaged, edited, in an odd place, on a full disk, or taken away while they are written."""

from __future__ import annotations

import json
import os
import random
import signal
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from quietmove.referee.game.record import GameRecord, MoveRecord
from quietmove.tournament.cli import run_command_line
from quietmove.tournament.errors import StoreError
from quietmove.tournament.formats import plan_of
from quietmove.tournament.games import ScheduledGame
from quietmove.tournament.running.runner import Pool, game_spec, play_on
from quietmove.tournament.running.snapshot import Snapshot
from quietmove.tournament.statistics.summary import document
from quietmove.tournament.store.store import Store
from tests.fakes.tournament_store import LITTLE as TOURNAMENT

GAMES = tuple(plan_of(TOURNAMENT).next_games([]))

WRONG = (None, True, -1, 10**40, 1.5, float("nan"), "zz", [], {}, [[]], {"a": 1})
COLUMN_VALUES = (None, -1, 1.5, "zz", "[" * 100_000, b"\xff\x00", "\x1b[31m")
NOBODY = 65534


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
        connection.execute("PRAGMA ignore_check_constraints = ON")
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


@pytest.mark.parametrize(("table", "column"), [("tournament", "config"), ("game", "record")])
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


def test_no_column_is_believed(tmp_path: Path, sound: bytes) -> None:
    path = tmp_path / "t.sqlite"
    errors = {}
    for column in ("number", "round", "first", "second", "color", "opening", "seed", "points_black", "record"):
        for value in COLUMN_VALUES:
            try:
                edited(path, sound, f"UPDATE game SET {column} = ? WHERE number = 2", value)
            except sqlite3.Error:  # not even the database takes it
                continue
            errors[column, str(value)[:9]] = read(path)
    assert errors["round", "-1"].endswith("t.sqlite is damaged: game 2: round: -1")
    assert errors["first", "zz"].endswith("t.sqlite is damaged: game 2: first: 'zz'")
    assert errors["points_black", "1.5"].endswith("t.sqlite is damaged: game 2: points_black: 1.5")
    assert "nested too deeply" in errors["record", "[[[[[[[[["]
    assert {column for (column, _), error in errors.items() if not error} == {"opening"}  # any text may be one


@pytest.mark.parametrize(
    ("query", "error"),
    [
        ("DROP TABLE game", "a table is missing"),
        ("DELETE FROM tournament", "its configuration cannot be read"),
        ("CREATE TRIGGER t AFTER INSERT ON game BEGIN DELETE FROM game; END", "has a trigger"),
        ("ALTER TABLE game DROP COLUMN record", "no such column: record"),
    ],
)
def test_another_schema_is_refused(tmp_path: Path, sound: bytes, query: str, error: str) -> None:
    assert error in read(edited(tmp_path / "t.sqlite", sound, query))


@pytest.mark.parametrize("number", ["'abc'", "x'ff00'", "NULL"])
def test_the_number_of_a_game_may_be_anything_in_a_strangers_table(
    tmp_path: Path, sound: bytes, capsys: pytest.CaptureFixture[str], number: str
) -> None:
    path = edited(tmp_path / "t.sqlite", sound, "ALTER TABLE game RENAME TO before")
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute(
            "CREATE TABLE game (number, round, first, second, color, black, white, opening, seed, moves,"
            "points_black, margin_black, reason, loser, finished_at, record)"
        )
        connection.execute("INSERT INTO game SELECT * FROM before")
        connection.execute(f"UPDATE game SET number = {number} WHERE number = 2")
    for command in ("verify", "resume", "standings"):
        assert run_command_line([command, str(path)]) == 2
        assert f"{path} is damaged: " in capsys.readouterr().err


def test_a_damaged_store_is_not_played_on(tmp_path: Path, sound: bytes, capsys: pytest.CaptureFixture[str]) -> None:
    path = edited(tmp_path / "t.sqlite", sound, "UPDATE game SET reason = 'luck' WHERE number = 2")
    assert run_command_line(["resume", str(path)]) == 2
    assert capsys.readouterr().err == f"error: store: {path} is damaged: game 2: reason: 'luck'\n"


def test_what_is_no_file_is_no_store(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    (tmp_path / "empty").touch()
    for path in (tmp_path, tmp_path / "pipe", Path("/dev/null"), Path("/dev/full"), tmp_path / "empty"):
        assert read(path) == f"store: {path} is no tournament store"
    assert "cannot be read: " in read(tmp_path / "loop")


def test_a_store_may_be_given_a_name_of_any_length(tmp_path: Path, sound: bytes) -> None:
    most = os.pathconf(tmp_path, "PC_NAME_MAX") - len("-journal")
    allowed, longer, longest = (tmp_path / f"{'a' * (size - 7)}.sqlite" for size in (most, most + 1, 300))
    for path in (longer, longest):
        for begin in (Store.create, Store.create_or_resume):
            with pytest.raises(StoreError, match=rf"a name of at most {most} bytes is allowed.*; one of \d+ came"):
                begin(path, TOURNAMENT)
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(StoreError, match=r"a-saved.sqlite. plays on"), Store.create(allowed, TOURNAMENT) as store:  # noqa: PT012
        add(store, GAMES[0])
        Snapshot(allowed)._write()
        allowed.rename(tmp_path / "elsewhere")
        add(store, GAMES[1])
    longer.write_bytes(sound)
    assert read(longer) == ""
    with pytest.raises(StoreError, match=f"{most + 1} came"):
        Store.open_to_write(longer)


def test_a_game_whose_time_is_damaged_is_shown_without_it(tmp_path: Path, sound: bytes) -> None:
    for time in ("soon", "9999-12-31T23:59:59-14:00", "2026-01-01", ""):
        path = edited(tmp_path / "t.sqlite", sound, "UPDATE game SET finished_at = ? WHERE number = 2", time)
        out = tmp_path / "t.csv"
        assert run_command_line(["export", str(path), "-o", str(out), "--force"]) == 0
        times = [line.rpartition(",")[2] for line in out.read_text().splitlines()]
        assert [bool(text) for text in times[:4]] == [True, True, False, True]
        with Store.open_to_read(path) as store:
            made = document(store.tournament, store.results(), store.timings())
        assert sum(row["used"]["moves"] for row in made["standings"]) == len(GAMES)


def test_a_game_under_another_number_is_one_error_before_it_is_played_again(tmp_path: Path, sound: bytes) -> None:
    path = edited(tmp_path / "t.sqlite", sound, "UPDATE game SET number = 99 WHERE number = 2")
    with Store.open_to_write(path) as store, ThreadPoolExecutor(1) as executor:
        games = play_on(store, Pool(executor, 1, lambda spec: pytest.fail("played")))
        with pytest.raises(
            StoreError, match=r"its game 99 is round 1, \w - \w, and the format gives that the number 2;"
        ):
            next(games)


def test_the_lock_follows_the_file_and_not_its_name(tmp_path: Path) -> None:
    path, link, other = tmp_path / "t.sqlite", tmp_path / "link", tmp_path / "folder" / "other"
    link.symlink_to(path)
    other.parent.mkdir()
    with Store.create(path, TOURNAMENT) as store:
        with pytest.raises(StoreError, match="link is being written by another process"):
            Store.open_to_write(link)
        os.link(path, other)
        with pytest.raises(StoreError, match="other is being written by another process"):
            Store.open_to_write(other)
        assert "link is being written by another process" in in_a_child(lambda: Store.open_to_write(link))
        add(store, GAMES[0])
    with pytest.raises(StoreError, match=r"other has 2 names \(hard links\)"):
        Store.open_to_write(other)
    path.unlink()
    with Store.open_to_write(other) as store:
        assert len(store.results()) == 1


@pytest.mark.parametrize("taken", ["deleted", "moved", "replaced", "with its folder"])
def test_a_store_that_is_taken_away_loses_no_game(tmp_path: Path, taken: str, monkeypatch: pytest.MonkeyPatch) -> None:
    folder, away = tmp_path / "folder", tmp_path / "away.sqlite"
    folder.mkdir()
    monkeypatch.chdir(tmp_path)
    path = folder / "t.sqlite"
    with Store.create(path, TOURNAMENT) as store:
        add(store, GAMES[0])
        path.rename(away)
        if taken == "deleted":
            away.unlink()
        elif taken == "replaced":
            path.write_text("another")
        elif taken == "with its folder":
            for file in folder.iterdir():
                file.unlink()
            folder.rmdir()
        with pytest.raises(StoreError, match=r"was deleted, moved or replaced .* all its games are in (\S+)") as caught:
            add(store, GAMES[1])
    saved = Path(str(caught.value).partition(" are in ")[2].partition(": ")[0])
    assert saved == (Path("t-saved.sqlite") if taken == "with its folder" else folder / "t-saved.sqlite")
    with Store.open_to_write(saved) as store:
        assert [result.number for result in store.results()] == [1, 2]
    assert not list(tmp_path.glob("**/t.sqlite-wal"))


@pytest.mark.parametrize("other", ["another store", "nothing"])
def test_a_store_that_is_overwritten_loses_no_game_that_is_not_in_it_alone(
    tmp_path: Path, sound: bytes, other: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, saved = tmp_path / "t.sqlite", tmp_path / "t-saved.sqlite"
    written = sound if other == "another store" else b""
    with Store.create(path, TOURNAMENT) as store:
        with monkeypatch.context() as patch:
            patch.setattr("quietmove.tournament.store.store.MOST_UNMERGED", 0)
            add(store, GAMES[0])  # goes into the file at once, as after many games
        add(store, GAMES[1])
        begun_at = store.created_at()
        os.utime(path, ns=(0, 0))  # the file system's clock may be too coarse to tell two writes apart
        path.write_bytes(written)
        with pytest.raises(StoreError) as caught:
            add(store, GAMES[2])
    assert str(caught.value) == (
        f"store: {path} was overwritten by another program, with 1 games in it; the 2 played since are in {saved}: "
        f"'resume {saved}' plays on"
    )
    with Store.open_to_write(saved) as store:
        assert store.tournament == TOURNAMENT
        assert [result.number for result in store.results()] == [2, 3]
        assert store.history()[1] == 2
        assert store.created_at() == begun_at
    assert path.read_bytes() == written  # what was put there is left as it is
    assert {file.name for file in tmp_path.iterdir()} == {path.name, saved.name}


def test_a_store_that_is_overwritten_after_its_last_game_is_an_error(tmp_path: Path, sound: bytes) -> None:
    path = tmp_path / "t.sqlite"
    with pytest.raises(StoreError, match=r"the 1 played since are in \S+t-saved.sqlite"):  # noqa: PT012, SIM117
        with Store.create(path, TOURNAMENT) as store:
            add(store, GAMES[0])
            path.write_bytes(sound)
    assert path.read_bytes() == sound


def test_many_games_are_merged_into_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("quietmove.tournament.store.store.MOST_UNMERGED", 1)
    path = tmp_path / "t.sqlite"
    with Store.create(path, TOURNAMENT) as store:
        for number, game in enumerate(GAMES, 1):
            add(store, game)
            with closing(sqlite3.connect(f"{path.as_uri()}?immutable=1", uri=True)) as alone:  # without the log
                assert alone.execute("SELECT count(*) FROM game").fetchone() == (number,)


def test_games_of_a_deleted_store_are_not_those_of_a_new_one(tmp_path: Path) -> None:
    path, log = tmp_path / "t.sqlite", tmp_path / "t.sqlite-wal"
    with Store.create(path, TOURNAMENT) as store:
        add(store, GAMES[0])
        kept = log.read_bytes()
    path.unlink()
    log.write_bytes(kept)  # as after a killed process
    with pytest.raises(StoreError, match=f"cannot be begun: {log} holds games of a store that was deleted or moved"):
        Store.create(path, TOURNAMENT)
    assert log.read_bytes() == kept
    assert not path.exists()
    log.unlink()
    with Store.create(path, TOURNAMENT) as store:
        assert store.results() == []


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
        f"store: {path}: database or disk is full; "
        f"its {stored} games are intact; 'resume {path}' plays game {stored + 1} again"
    )


def test_a_file_may_not_grow_and_nothing_is_left(tmp_path: Path, unmeasured: dict[str, str]) -> None:
    script = (
        "import resource, sys; resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))\n"
        "from quietmove.tournament.cli import run_command_line as run; sys.exit(run(['run']))"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=tmp_path, env=unmeasured, capture_output=True, text=True, timeout=120
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("error: store: orderings.sqlite")
    assert done.stderr.count("\n") == 1
    assert list(tmp_path.iterdir()) == []


def test_reading_needs_no_right_to_write() -> None:
    """The newest game is in the log of a process that was killed; neither it nor the store may be written."""
    with tempfile.TemporaryDirectory() as name:  # the folders of pytest are closed to all other users
        path = Path(name) / "t.sqlite"
        in_a_child(lambda: add(Store.create(path, TOURNAMENT), GAMES[0]))
        log = Path(f"{path}-wal")
        assert log.stat().st_size > 0
        Path(f"{path}-shm").unlink()  # an archive would not have it
        before = path.read_bytes()
        for file in (path, log):
            file.chmod(0o444)
        path.parent.chmod(0o555)
        try:
            assert in_a_child(lambda: count_games(path)) == "1"
            log.unlink()
            assert in_a_child(lambda: count_games(path)) == "0"
            assert [(file, file.read_bytes()) for file in path.parent.iterdir()] == [(path, before)]
        finally:
            path.parent.chmod(0o755)


def count_games(path: Path) -> int:
    """Count the games of a store as a user who has no rights beyond those that the files give to everyone."""
    if os.getuid() == 0:
        os.setgroups([])
        os.setgid(NOBODY)
        os.setuid(NOBODY)
    tempfile.tempdir = None
    with Store.open_to_read(path) as store:
        return len(list(store.games()))


def in_a_child(work: Callable[[], object]) -> str:
    """Return what ``work`` returns or raises in a process that is killed afterwards."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            answer = str(work())
        except BaseException as error:
            answer = repr(error)
        os.write(writer, answer.encode())
        os.kill(os.getpid(), signal.SIGKILL)
    os.close(writer)
    with open(reader) as pipe:  # noqa: PTH123 (a descriptor)
        answer = pipe.read()
    os.waitpid(child, 0)
    return answer
