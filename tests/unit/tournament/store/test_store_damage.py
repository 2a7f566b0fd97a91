"""Stores that are damaged, edited, no files, on a full disk, or where one may only read."""

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


@pytest.mark.parametrize(
    ("query", "error"),
    [
        ("UPDATE game SET black = 'zz' WHERE number = 2", "game 2: engine: must be one of the tournament's, not 'zz'"),
        ("UPDATE game SET opening = x'ff' WHERE number = 2", "game 2: "),
        ("UPDATE game SET record = '{}' WHERE number = 2", "game 2: "),
        ("UPDATE game SET record = ? WHERE number = 2", "game 2: "),
        ("DELETE FROM tournament", "its configuration: must be one, not 0"),
        ("INSERT INTO tournament SELECT * FROM tournament", "its configuration: must be one, not 2"),
    ],
)
def test_what_no_tournament_writes_is_refused(tmp_path: Path, sound: bytes, query: str, error: str) -> None:
    path = edited(tmp_path / "t.sqlite", sound, query, *["[" * 100_000] * query.count("?"))
    assert read(path).startswith(f"store: {path} is damaged: {error}")


@pytest.mark.parametrize(
    "change", ["round = 'x'", "points_black = 0.7", "margin_black = 'x'", "seed = -1", "color = 'x'", "moves = NULL"]
)
def test_the_tables_take_nothing_else(tmp_path: Path, sound: bytes, change: str) -> None:
    with pytest.raises(sqlite3.IntegrityError):
        edited(tmp_path / "t.sqlite", sound, f"UPDATE game SET {change} WHERE number = 2")


def test_what_is_no_file_is_no_store(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "empty").touch()
    for path in (tmp_path, tmp_path / "pipe", Path("/dev/null"), Path("/dev/full"), tmp_path / "empty"):
        assert read(path) == f"store: {path} is no tournament store"


def test_the_lock_follows_the_file_and_not_its_name(tmp_path: Path) -> None:
    path, link = tmp_path / "t.sqlite", tmp_path / "link"
    link.symlink_to(path)
    with Store.create(path, TOURNAMENT) as store:
        assert "link is being written by another process" in in_a_child(lambda: Store.open_to_write(link))
        add(store, GAMES[0])
    with Store.open_to_write(link) as store:
        assert len(store.results()) == 1


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
        for file in path.parent.iterdir():
            file.chmod(0o644)
        path.parent.chmod(0o555)
        try:
            assert in_a_child(lambda: count_games(path)) == "1"
            path.parent.chmod(0o755)
            Store.open_to_write(path).close()  # merges it, as the end of every run does
            path.parent.chmod(0o555)
            assert in_a_child(lambda: count_games(path)) == "1"
            assert [*path.parent.iterdir()] == [path]
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
