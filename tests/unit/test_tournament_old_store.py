"""A store that version 0.1 of the program wrote, row by row: it is read as if it had been written today."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path
from typing import Any

from quietmove.tournament.store import Store

SCHEMA = """
PRAGMA application_id = 1364022354;
PRAGMA user_version = 1;
CREATE TABLE tournament (config TEXT NOT NULL, created_at TEXT NOT NULL);
CREATE TABLE game (
    number INTEGER PRIMARY KEY, round INTEGER NOT NULL, first TEXT NOT NULL, second TEXT NOT NULL, color TEXT NOT NULL,
    black TEXT NOT NULL, white TEXT NOT NULL, opening TEXT NOT NULL, seed INTEGER NOT NULL, moves TEXT NOT NULL,
    points_black REAL NOT NULL, discs_black INTEGER NOT NULL, reason TEXT NOT NULL, loser TEXT,
    finished_at TEXT NOT NULL, record TEXT NOT NULL, UNIQUE (round, first, second, color)
);
"""
LIMIT = '{"base_ms":null,"increment_ms":0,"moves":null,"movetime_ms":null,"nodes":null,"depth":6}'
ENGINE = (
    '{"name":"NAME","command":["NAME"],"protocol":"uci","options":[],"limit":LIMIT,"coordinates":"slide",'
    '"time_unit":"s","margin_ms":100,"start_timeout_ms":10000,"stall_timeout_ms":60000}'
).replace("LIMIT", LIMIT)
A, B = ENGINE.replace("NAME", "a"), ENGINE.replace("NAME", "b")
CONFIG = (
    f'{{"name":"old","game":"othello","seed":3,"rounds":1,"openings":[["f5"]],"engines":[{A},{B}],'
    '"concurrency":null,"keep_dialogue":false}'
)
RECORD = (
    f'{{"result":"0-1","spec":{{"game":"othello","opening":["f5"],"black":{A},"white":{B},"keep_dialogue":false,'
    '"seed":1160817950},"moves":['
    '{"move":"6 4","by":"opening","elapsed_ms":0,"clock_ms":null,"score":null,"depth":null,"nodes":null},'
    '{"move":"6 3","by":"white","elapsed_ms":12,"clock_ms":null,"score":-150,"depth":8,"nodes":4321}],'
    '"reason":"illegal","loser":"black","points_black":0.0,"discs_black":-64,"detail":"a (black) answered \'x\'",'
    '"black_stderr":"","white_stderr":"","dialogue":[]}'
)
ROW: tuple[Any, ...] = (
    *(1, 1, "a", "b", "black", "a", "b", "f5", 1160817950, "6 4,6 3", 0.0, -64, "illegal", "black"),
    *("2026-11-01T10:00:00+00:00", RECORD),
)


def test_a_store_of_version_0_1_is_read(tmp_path: Path) -> None:
    path = tmp_path / "old.sqlite"
    with sqlite3.connect(path) as connection:
        connection.executescript(SCHEMA)
        connection.execute("INSERT INTO tournament VALUES (?, ?)", (CONFIG, "2026-11-01T09:00:00+00:00"))
        connection.execute(f"INSERT INTO game VALUES ({', '.join('?' * len(ROW))})", ROW)
    connection.close()
    assert json.loads(RECORD)["moves"][0]["move"] == "6 4"
    with Store.open_to_read(path) as store:
        ((game, record),) = store.games()
        (result,) = store.results()
        assert (game.number, game.opening, game.seed) == (1, ("f5",), 1160817950)
        assert [move.move for move in record.moves] == ["f5", "f6"]
        assert (record.result, record.margin_black, record.loser) == ("0-1", -64, "black")
        assert (result.points_black, result.forfeited_by) == (0.0, "a")
        assert "   2 white   f6          0.012" in record.transcript()
