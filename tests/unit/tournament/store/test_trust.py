"""A stranger's store runs nothing before one has agreed; and what Ctrl-C does."""

from __future__ import annotations

import os
import signal
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from quietmove.tournament.cli import run_command_line
from quietmove.tournament.playing.commands import STOPPING, interrupts
from quietmove.tournament.playing.snapshot import FINISH
from quietmove.tournament.store.store import Store

ROUNDS = 3
CONFIG = f"""
name = "quick"
rounds = {ROUNDS}
[defaults]
protocol = "in-process"
limit = "nodes=10"
[[engine]]
name = "a"
[[engine]]
name = "b\u00e9"
options = {{ Ordering = "none" }}
"""


@pytest.fixture(autouse=True)
def unchanged_handler() -> Iterator[None]:
    handler = signal.getsignal(signal.SIGINT)
    yield
    assert signal.getsignal(signal.SIGINT) == handler


@pytest.fixture(scope="module")
def stored(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """Return a store from which a game is missing, as bytes."""
    folder = tmp_path_factory.mktemp("stored")
    (folder / "c.toml").write_text(CONFIG, encoding="utf-8")
    assert run_command_line(["run", str(folder / "c.toml"), "--store", str(folder / "x.sqlite")]) == 0
    change(folder / "x.sqlite", "DELETE FROM game WHERE number = 3")
    return (folder / "x.sqlite").read_bytes()


@pytest.fixture
def store(folder: Path, stored: bytes) -> Path:
    (folder / "x.sqlite").write_bytes(stored)
    return folder / "x.sqlite"


def change(path: Path, query: str) -> None:
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute(query)


def games(path: Path) -> int:
    with Store.open_to_read(path) as opened:
        return len(opened.results())


def test_a_store_of_another_machine_is_not_run_unasked(store: Path, capsys: pytest.CaptureFixture[str]) -> None:
    change(store, "UPDATE tournament SET machine = 'another'")
    strange = f"{store} belongs to another user, or was created or changed on another machine"
    assert run_command_line(["resume", str(store)]) == 2
    assert capsys.readouterr().err == (
        f"error: store: {strange}; pass --yes to run a: quietmove; b\u00e9: quietmove Ordering=none\n"
    )
    assert games(store) == 2 * ROUNDS - 1
    assert run_command_line(["resume", str(store), "--yes"]) == 0
    assert capsys.readouterr().err.startswith(f"{strange}. It would run\n  a: quietmove\n")
    change(store, "DELETE FROM game WHERE number = 3")
    assert run_command_line(["resume", str(store)]) == 0  # the store now belongs to this user


@pytest.mark.skipif(os.getuid() != 0, reason="only root may give a file away")
def test_a_store_of_another_user_is_not_run_unasked(store: Path) -> None:
    os.chown(store, 65534, 65534)
    assert run_command_line(["resume", str(store)]) == 2
    assert games(store) == 2 * ROUNDS - 1
    assert run_command_line(["resume", str(store), "--yes"]) == 0


def test_reading_a_stranger_s_store_runs_no_file(store: Path, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "evil.py").write_text("from pathlib import Path; Path('proof').touch()\nclass Game: ...\n")
    change(store, 'UPDATE record SET record = replace(record, \'"game":"othello"\', \'"game":"evil.py:Game"\')')
    assert run_command_line(["games", str(store)]) == 2
    assert "is damaged: game 1: record: game: must be othello, not evil.py:Game" in capsys.readouterr().err
    change(store, 'UPDATE tournament SET config = replace(config, \'"game":"othello"\', \'"game":"evil.py:Game"\')')
    statuses = {name: run_command_line([name, str(store)]) for name in ("standings", "games", "export")}
    assert statuses == {"standings": 0, "games": 0, "export": 2}  # export needs a format
    assert run_command_line(["games", str(store), "1"]) == 0
    capsys.readouterr()
    assert run_command_line(["verify", str(store)]) == 1
    assert "evil.py:Game is a Python file; to run it, pass --game" in capsys.readouterr().out
    assert run_command_line(["resume", str(store)]) == 2  # the machine is the same, but the configuration was changed
    assert "pass --yes to run the game: evil.py:Game" in capsys.readouterr().err
    assert not (folder / "proof").exists()


@pytest.mark.parametrize(
    ("old", "new"), [('"othello"', '"evil.py:Game"'), ('["Ordering","none"]', '["Ordering","full"]')]
)
def test_a_store_that_came_back_changed_is_not_run_unasked(store: Path, old: str, new: str) -> None:
    change(store, f"UPDATE tournament SET config = replace(config, '{old}', '{new}')")
    assert run_command_line(["resume", str(store)]) == 2
    assert games(store) == 2 * ROUNDS - 1


HANGS = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i"


@pytest.mark.parametrize(
    ("query", "named"),
    [
        ("CREATE VIEW v AS SELECT 1", "view 'v'"),
        ("CREATE TRIGGER t AFTER DELETE ON kept_move BEGIN DELETE FROM game; END", "trigger 't'"),
        (f"DROP TABLE game; CREATE VIEW game AS {HANGS} AS number FROM n", "view 'game'"),
        ("ALTER TABLE record ADD COLUMN x AS (hex(zeroblob(100000000)))", "table 'record'"),
        ("CREATE INDEX i ON game (moves)", "index 'i'"),
        ("CREATE VIRTUAL TABLE f USING fts5(x)", "table 'f'"),
        ("DROP TABLE kept_move", "table 'kept_move'"),
    ],
)
def test_a_store_with_another_schema_is_refused(
    store: Path, query: str, named: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with closing(sqlite3.connect(store)) as connection:
        connection.executescript(query)
    for command in ("standings", "resume"):
        assert run_command_line([command, str(store)]) == 2
        assert f"must have exactly the tables of a tournament store; the {named}" in capsys.readouterr().err


def test_what_was_ignored_stays_ignored() -> None:
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        with interrupts(print):
            signal.raise_signal(signal.SIGHUP)
    finally:
        signal.signal(signal.SIGHUP, before)


def test_an_ignored_ctrl_c_stays_ignored_when_the_run_finishes() -> None:
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        with interrupts(lambda text: None) as stopping:
            signal.raise_signal(FINISH)
            assert stopping.is_set()
            assert signal.getsignal(signal.SIGINT) == signal.SIG_IGN
    finally:
        signal.signal(signal.SIGINT, before)


def test_a_run_that_is_told_twice_to_finish_still_finishes_its_games() -> None:
    notices: list[str] = []
    with interrupts(notices.append) as stopping:
        for _ in range(2):
            signal.raise_signal(FINISH)
        assert stopping.is_set()
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)
    assert notices == [STOPPING]
