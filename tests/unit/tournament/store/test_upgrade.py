"""A store that the first version of this program wrote is shown, and played on."""

from __future__ import annotations

import json
import sqlite3
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from quietmove.referee.config.config import EngineConfig, GameSpec
from quietmove.referee.game.record import GameRecord
from quietmove.tournament.cli import run_command_line
from quietmove.tournament.running.runner import Pool, play_on
from quietmove.tournament.store.store import Store
from quietmove.tournament.store.upgrade import SCHEMA_VERSION

SCHEMA = """
PRAGMA application_id = 1364022354;
PRAGMA user_version = 1;
CREATE TABLE tournament (config TEXT NOT NULL, created_at TEXT NOT NULL);
CREATE TABLE game (
    number       INTEGER PRIMARY KEY,
    round        INTEGER NOT NULL,
    first        TEXT NOT NULL,
    second       TEXT NOT NULL,
    color        TEXT NOT NULL CHECK (color IN ('black', 'white')),
    black        TEXT NOT NULL,
    white        TEXT NOT NULL,
    opening      TEXT NOT NULL,
    seed         INTEGER NOT NULL,
    moves        TEXT NOT NULL,
    points_black REAL NOT NULL,
    discs_black  INTEGER NOT NULL,
    reason       TEXT NOT NULL,
    loser        TEXT CHECK (loser IN ('black', 'white')),
    finished_at  TEXT NOT NULL,
    record       TEXT NOT NULL,
    UNIQUE (round, first, second, color)
);
"""
ENGINE = (
    '{"name":"%s","command":["%s"],"protocol":"uci","options":[["Hash","1"]],'
    '"limit":{"base_ms":null,"increment_ms":0,"moves":null,"movetime_ms":null,"nodes":100,"depth":null},'
    '"coordinates":"slide","time_unit":"s","margin_ms":100,"start_timeout_ms":10000,"stall_timeout_ms":60000}'
)
A, B = ENGINE % ("a", "a"), ENGINE % ("b", "b")
CONFIG = (
    '{"name":"old","game":"othello","seed":1,"rounds":2,"openings":[["f5","d6"],["f5","f6"]],'
    f'"engines":[{A},{B}],"concurrency":null,"keep_dialogue":false}}'
)
RECORD = (
    '{"result":"1-0","spec":{"game":"othello","opening":["f5","d6"],'
    f'"black":{A},"white":{B},"keep_dialogue":false,"seed":1}},'
    '"moves":[{"move":"6 4","by":"opening","elapsed_ms":0,"clock_ms":null,"score":null,"depth":null,"nodes":null},'
    '{"move":"4 3","by":"opening","elapsed_ms":0,"clock_ms":null,"score":null,"depth":null,"nodes":null},'
    '{"move":"3 6","by":"black","elapsed_ms":3,"clock_ms":null,"score":20,"depth":2,"nodes":90}],'
    '"reason":"resign","loser":"white","points_black":1.0,"discs_black":64,"detail":"b (white) resigns",'
    '"black_stderr":"","white_stderr":"","dialogue":[]}'
)


@pytest.fixture
def old(tmp_path: Path) -> Path:
    """Return a store of version 1: one of four games."""
    path = tmp_path / "old.sqlite"
    connection = sqlite3.connect(path)
    connection.executescript(SCHEMA)
    with connection:
        connection.execute("INSERT INTO tournament VALUES (?, '2026-01-01T00:00:00.000+00:00')", (CONFIG,))
        connection.execute(
            "INSERT INTO game VALUES (1, 1, 'a', 'b', 'black', 'a', 'b', 'f5,d6', 5, '6 4,4 3,3 6', 1.0, 64, 'resign', "
            "'white', '2026-01-01T00:00:01.000+00:00', ?)",
            (RECORD,),
        )
    connection.close()
    return path


def version(path: Path) -> int:
    connection = sqlite3.connect(path)
    (found,) = connection.execute("PRAGMA user_version").fetchone()
    connection.close()
    return int(found)


def test_an_old_store_is_shown_and_left_as_it_is(old: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = old.read_bytes()
    assert run_command_line(["standings", str(old)]) == 0
    assert "old: 1 of 4 games, seed 1" in capsys.readouterr().out
    assert run_command_line(["standings", str(old), "--json"]) == 0
    value = json.loads(capsys.readouterr().out)
    assert [(row["name"], row["points"], row["margin"]) for row in value["standings"]] == [("a", 1, 64), ("b", 0, -64)]
    assert run_command_line(["games", str(old), "1"]) == 0
    text = capsys.readouterr().out
    assert "Result   1-0  +64 for Black" in text
    assert [line.split()[:3] for line in text.splitlines() if " opening " in line or " black " in line] == [
        ["1", "opening", "f5"],
        ["2", "opening", "d6"],
        ["3", "black", "c3"],
    ]
    assert old.read_bytes() == before
    assert version(old) == 1


def test_an_old_store_is_played_on(old: Path) -> None:
    def answer(spec: GameSpec) -> GameRecord:
        return GameRecord(spec, (), "finished", None, 0.5, 0, "made up")

    with Store.open_to_write(old) as store, ThreadPoolExecutor(1) as executor:
        assert store.tournament.settings == (("rounds", 2),)
        assert [engine.name for engine in store.tournament.engines] == ["a", "b"]
        assert isinstance(store.tournament.engines[0], EngineConfig)
        assert sorted(game.number for game, _ in play_on(store, Pool(executor, 1, answer))) == [2, 3, 4]
    assert version(old) == SCHEMA_VERSION
    with Store.open_to_read(old) as store:
        assert [(result.number, result.margin_black) for result in store.results()] == [(1, 64), (2, 0), (3, 0), (4, 0)]
        _, record = next(store.games())
        assert (record.margin_black, record.loser) == (64, "white")
        assert [move.move for move in record.moves] == ["f5", "d6", "c3"]
        assert store.results()[0].moves == "f5,d6,c3"
        assert store.history() == (1, 4)
