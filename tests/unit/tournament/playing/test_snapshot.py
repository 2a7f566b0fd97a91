"""The file that tells which games are being played."""

from __future__ import annotations

import json
import os
import queue
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from quietmove.engine.common.processes import Process
from quietmove.referee.config.model import EngineConfig, GameSpec
from quietmove.referee.game.judged_game import JudgedGame
from quietmove.referee.game.record import Clocks, MoveRecord
from quietmove.tournament.formats import plan_of
from quietmove.tournament.games import ScheduledGame, game_spec
from quietmove.tournament.playing.snapshot import (
    MAX_GAMES,
    Snapshot,
    announce,
    player_of,
    snapshot_path,
)
from tests.fakes.addons import needs_games
from tests.fakes.processes import wait_until
from tests.fakes.tournament_store import a_tournament

CUP = a_tournament("cup", ("a", "b", "c"))
CLOCKS: Clocks = {"black": 60_000, "white": None}
WAIT = 60  # seconds; only a failing test waits this long
NONE = {"count": 0, "games": []}


@pytest.fixture
def store(tmp_path: Path) -> Path:
    return tmp_path / "cup.sqlite"


def game(number: int = 1) -> ScheduledGame:
    return list(plan_of(CUP).next_games([]))[number - 1]


class Noted(Snapshot):
    """Tells the test of each file that was written."""

    def __init__(self, store: Path) -> None:
        super().__init__(store)
        self.written: queue.Queue[Any] = queue.Queue()

    def _write(self) -> None:
        super()._write()
        self.written.put(json.loads(self.path.read_bytes()))

    def wait_for(self, *moves: list[str]) -> dict[str, Any]:
        """Return the first file with games that have come so far."""
        while True:
            found: dict[str, Any] = self.written.get(timeout=WAIT)
            assert found.pop("process") == [os.getpid(), Process.here().started]
            if [each["moves"] for each in found["games"]] == [*moves]:
                return found


def test_a_file_that_cannot_be_written_is_one_notice(store: Path) -> None:
    notices: queue.Queue[str] = queue.Queue()
    (store.parent / "cup.sqlite-next").mkdir()
    with Snapshot(store, notices.put) as snapshot:
        observer = snapshot.observer(game())
        for _ in range(2):
            observer.turn_began("black", CLOCKS)
        assert "cup.sqlite-next" in notices.get(timeout=WAIT)
        observer.turn_began("black", CLOCKS)
    assert notices.empty()
    assert not snapshot.path.exists()


def test_of_many_games_the_first_are_told(store: Path) -> None:
    with Noted(store) as snapshot:
        spec, plan = game_spec(CUP, game()), game()
        for number in range(20, 0, -1):
            observer = snapshot.observer(replace(plan, number=number))
            observer.game_started(spec, CLOCKS)
            for ply in range(500 if number % 2 else 1):
                observer.move_made(ply, MoveRecord("a word of twenty and", "black"), CLOCKS)
        while (found := snapshot.written.get(timeout=WAIT))["count"] < 20:
            pass
        assert 1 <= len(found["games"]) <= MAX_GAMES
        assert [each["number"] for each in found["games"]] == list(range(1, len(found["games"]) + 1))


@needs_games
def test_games_with_hidden_cards_are_not_told(store: Path) -> None:
    players = [EngineConfig(name, protocol="in-process") for name in "ab"]
    with Snapshot(store) as snapshot:
        snapshot.observer(game()).game_started(GameSpec("whist", (), *players), CLOCKS)
        assert {**snapshot.document(), **NONE} == snapshot.document()


def test_the_last_lines_of_each_engine_are_told_and_no_report_is_read(store: Path) -> None:
    snapshot = Snapshot(store)
    match = JudgedGame(game_spec(CUP, game()), [snapshot.observer(game())])
    match.observers[-1].game_started(match.spec, CLOCKS)
    listener = match._listener("black")
    assert listener.info is None
    assert listener.line is not None
    for number in range(20):
        listener.line("<", f"info depth {number} {'x' * 1000}")
    listener.line(">", "stop")
    (told,) = snapshot.document()["games"]
    assert [line[:13] for line in told["output"]["black"]] == [f"info depth {number}" for number in range(14, 20)]
    assert max(map(len, told["output"]["black"])) == 200
    assert told["output"]["white"] == ()


def test_the_process_that_plays_is_found_while_it_lives(store: Path) -> None:
    assert player_of(store) is None
    player = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    announce(store, Process.of(player.pid))
    assert player_of(store) == Process.of(player.pid)
    player.kill()
    wait_until(lambda: player_of(store) is None)  # the run has exited, even if its parent has not reaped it
    player.communicate()
    with Noted(store) as snapshot:
        snapshot.wait_for()
        assert player_of(store) == Process.here()
    announce(store, Process(os.getpid(), "another start"))  # a later process reuses the run's process ID
    assert player_of(store) is None
    for damaged in (
        "",
        "[]",
        '{"process":7}',
        '{"count":0}',
        r'{"process":["\u0000","1"]}',
        '{"process":["../x","1"]}',
    ):
        snapshot_path(store).write_text(damaged)
        assert player_of(store) is None


def test_a_pipe_and_a_link_in_its_place_harm_nothing(store: Path) -> None:
    os.mkfifo(snapshot_path(store))
    assert player_of(store) is None
    other = store.parent / "other"
    other.write_text("precious")
    (store.parent / "cup.sqlite-next").symlink_to(other)
    announce(store, Process.here())
    assert player_of(store) == Process.here()
    assert other.read_text() == "precious"
