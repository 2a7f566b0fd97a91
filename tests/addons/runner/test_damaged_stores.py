"""Damaged stores, and those of strangers, in a report and on a page."""

from __future__ import annotations

import sqlite3
from contextlib import closing, suppress
from pathlib import Path

import pytest

from quietmove.addons.web.store_reader import Reader, game_document
from quietmove.engine.common.errors import QuietmoveError
from quietmove.engine.errors import UnknownGameError
from quietmove.tournament.cli import run_command_line
from quietmove.tournament.errors import StoreError
from tests.fakes.tournament_store import a_tournament, write_store
from tests.unit.tournament.reporting.test_export import check_targets
from tests.unit.tournament.store.test_store_damage import COLUMNS, each_value, read, run_command, sound_store

GAMES = 6


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "t.sqlite"
    write_store(path, a_tournament("little", ("a", "b", "c")), GAMES)
    return path


def change(path: Path, query: str) -> None:
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(query)


@pytest.mark.parametrize(("table", "column"), [(table, column) for table in COLUMNS for column in COLUMNS[table]])
def test_no_value_of_a_column_is_believed(
    store: Path, table: str, column: str, capsys: pytest.CaptureFixture[str]
) -> None:
    sound = sound_store(store.with_name("sound.sqlite"))
    for _ in each_value(store, sound, table, column):
        if not read(store):
            run_command(store, capsys, "report -o x.html --force")
            page = Reader(store)
            with suppress(QuietmoveError):
                page.refresh()
                game_document(2, page.game(2)[1])


def test_a_stranger_s_store_runs_no_file(store: Path) -> None:
    store.with_name("evil.py").write_text("from pathlib import Path; Path('proof').touch()\nclass Game: ...\n")
    change(store, 'UPDATE record SET record = replace(record, \'"game":"othello"\', \'"game":"evil.py:Game"\')')
    change(store, 'UPDATE tournament SET config = replace(config, \'"game":"othello"\', \'"game":"evil.py:Game"\')')
    assert run_command_line(["report", str(store)]) == 0
    page = Reader(store)
    page.refresh()
    with pytest.raises(UnknownGameError):
        game_document(1, page.game(1)[1])
    assert not store.with_name("proof").exists()


def test_a_store_with_another_schema_is_refused(store: Path, capsys: pytest.CaptureFixture[str]) -> None:
    change(store, "CREATE VIEW v AS SELECT 1")
    assert run_command_line(["report", str(store)]) == 2
    assert "must have exactly the tables of a tournament store; the view 'v'" in capsys.readouterr().err
    with pytest.raises(StoreError):
        Reader(store).refresh()


def test_an_empty_name_is_one_error(capsys: pytest.CaptureFixture[str]) -> None:
    assert run_command_line(["report", ""]) == 2
    assert capsys.readouterr().err == "error: store: . is not a tournament store\n"


def test_a_report_replaces_neither_the_store_nor_a_device(store: Path, capsys: pytest.CaptureFixture[str]) -> None:
    check_targets(["report"], store, capsys)
