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
from quietmove.tournament.playing.commands import interrupts
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
def config(folder: Path) -> Iterator[None]:
    (folder / "c.toml").write_text(CONFIG, encoding="utf-8")
    handler = signal.getsignal(signal.SIGINT)
    yield
    assert signal.getsignal(signal.SIGINT) == handler


@pytest.fixture
def store(folder: Path, capsys: pytest.CaptureFixture[str]) -> Path:
    """Return a store from which a game is missing."""
    assert run_command_line(["run", "c.toml", "--store", "x.sqlite"]) == 0
    change(folder / "x.sqlite", "DELETE FROM game WHERE number = 3")
    capsys.readouterr()
    return folder / "x.sqlite"


def change(path: Path, query: str) -> None:
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute(query)


def games(path: Path) -> int:
    with Store.open_to_read(path) as opened:
        return len(opened.results())


def test_a_store_of_another_machine_is_not_run_unasked(store: Path, capsys: pytest.CaptureFixture[str]) -> None:
    change(store, "UPDATE tournament SET machine = 'another'")
    strange = f"{store} is another user's or was begun on another machine"
    assert run_command_line(["resume", str(store)]) == 2
    assert capsys.readouterr().err == (
        f"error: store: {strange}; --yes lets it run a: quietmove; b\u00e9: quietmove Ordering=none\n"
    )
    assert games(store) == 2 * ROUNDS - 1
    assert run_command_line(["resume", str(store), "--yes"]) == 0
    assert capsys.readouterr().err.startswith(f"{strange}. It runs\n  a: quietmove\n")
    change(store, "DELETE FROM game WHERE number = 3")
    assert run_command_line(["resume", str(store)]) == 0  # the store is this user's own now


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
    change(store, "UPDATE tournament SET machine = 'another'")
    for command in ("standings", "games", "verify"):
        assert run_command_line([command, str(store)]) == 2
        assert "to read it is to run evil.py:Game; 'resume --yes' agrees to that" in capsys.readouterr().err
    assert run_command_line(["resume", str(store)]) == 2
    assert not (folder / "proof").exists()


def test_what_was_ignored_stays_ignored() -> None:
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        with interrupts(print):
            signal.raise_signal(signal.SIGHUP)
    finally:
        signal.signal(signal.SIGHUP, before)
