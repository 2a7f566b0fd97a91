"""What a server believes of the file that tells which games are being played."""

from __future__ import annotations

import json
import os
import time
from dataclasses import replace
from pathlib import Path

import pytest

from quietmove.addons.web.store_reader import running_games
from quietmove.referee.game.record import MoveRecord
from quietmove.tournament.games import game_spec
from quietmove.tournament.playing import snapshot as module
from quietmove.tournament.playing.snapshot import STALE_SECONDS, snapshot_path
from tests.unit.tournament.playing.test_snapshot import CLOCKS, CUP, NONE, Noted, game


@pytest.fixture
def store(tmp_path: Path) -> Path:
    return tmp_path / "cup.sqlite"


def test_the_file_is_written_replaced_and_removed(store: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "PAUSE_SECONDS", 0.01)
    with Noted(store) as snapshot:
        observers = [snapshot.observer(game(number)) for number in (2, 1)]
        assert running_games(store, CUP) == NONE
        for number, observer in zip((2, 1), observers, strict=True):
            observer.game_started(game_spec(CUP, game(number)), CLOCKS)
            observer.move_made(1, MoveRecord("f5", "opening"), CLOCKS)
        snapshot.wait_for(["f5"], ["f5"])
        observers[1].turn_began("white", CLOCKS)
        observers[1].move_made(2, MoveRecord("d6", "white", 20, score=50), CLOCKS)
        snapshot.wait_for(["f5", "d6"], ["f5"])
        first, second = running_games(store, CUP)["games"]
        assert (first["number"], second["number"]) == (1, 2)
        assert first["players"] == [game().id.black, game().id.white]
        assert (first["plies"], first["move"], first["counts"], first["toMove"]) == (2, "d6", [3, 3], 0)
        assert (first["clocks"], first["scores"]) == ([60_000, None], [None, 50])
        assert (second["plies"], second["scores"], second["toMove"]) == (1, [None, None], 1)
        for observer in observers:
            observer.game_ended(None)  # type: ignore[arg-type]
        assert snapshot.wait_for() == NONE
    assert list(store.parent.iterdir()) == []


def test_what_a_run_that_was_killed_has_left_is_not_shown(store: Path) -> None:
    with Noted(store) as snapshot:
        observer = snapshot.observer(game())
        observer.game_started(game_spec(CUP, game()), CLOCKS)
        observer.turn_began("black", CLOCKS)
        left = json.dumps(snapshot.wait_for([]))
        assert len(running_games(store, CUP)["games"]) == 1
    snapshot_path(store).write_text(left)
    before = time.time() - STALE_SECONDS - 1
    os.utime(snapshot_path(store), (before, before))
    assert running_games(store, CUP) == NONE
    with Noted(store) as snapshot:  # the next run replaces the snapshot
        snapshot.observer(game(2)).game_ended(None)  # type: ignore[arg-type]
        assert snapshot.wait_for() == NONE


@pytest.mark.parametrize(("name", "what"), [("einstein", "caption"), ("nim", "picture")])
def test_what_a_board_does_not_say_is_told(store: Path, name: str, what: str) -> None:
    cup = replace(CUP, game=name, openings=((),))
    with Noted(store) as snapshot:
        snapshot.observer(game()).game_started(game_spec(cup, game()), CLOCKS)
        snapshot.observer(game()).turn_began("black", CLOCKS)
        snapshot.wait_for([])
        (found,) = running_games(store, cup)["games"]
    assert found[what]
