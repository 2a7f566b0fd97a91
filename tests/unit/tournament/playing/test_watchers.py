"""What is shown while a tournament runs, beside the table itself, which test_missing_games.py plays."""

from __future__ import annotations

import json
from io import StringIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.console import Console

from quietmove.engine.common.entry import INTERRUPTED
from quietmove.referee.config.model import EngineConfig
from quietmove.referee.game.record import GameRecord
from quietmove.tournament.cli import run_command_line
from quietmove.tournament.definition import Tournament
from quietmove.tournament.formats import plan_of
from quietmove.tournament.games import game_spec
from quietmove.tournament.playing import commands
from quietmove.tournament.playing.watchers import EventLines, GameLines, display
from quietmove.tournament.store.store import Store

if TYPE_CHECKING:
    import pytest

SPRT: tuple[tuple[str, Any], ...] = (("elo0", 0.0), ("elo1", 30.0))


def tournament(**changes: Any) -> Tournament:
    engines = tuple(EngineConfig(name, ("x",)) for name in ("a", "</b>"))
    fields = {"name": "t", "game": "othello", "seed": 1, "openings": ((),), "engines": engines}
    return Tournament(**{**fields, "settings": (("rounds", 10),), **changes})


def play(store: Store, watcher: EventLines | GameLines) -> None:
    """Play all games; Black wins them."""
    for game in list(plan_of(store.tournament).next_games([])):
        record = GameRecord(game_spec(store.tournament, game), (), "finished", None, 1.0, 2, "made up")
        store.add(game, record)
        watcher.game_finished(game, record)


def console(**options: Any) -> Console:
    return Console(file=StringIO(), force_terminal=True, **options)


def test_a_dumb_terminal_gets_lines(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "dumb")
    with Store.create(tmp_path / "t.sqlite", tournament()) as store:
        assert isinstance(display(console(), store), GameLines)


def test_a_log_says_how_the_test_stands(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    settings = (*SPRT, ("most_games", 200))
    with Store.create(tmp_path / "t.sqlite", tournament(format="sprt", settings=settings)) as store:
        play(store, GameLines(store))
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 202
    assert lines[100].startswith("100 games, ")
    assert lines[100].endswith(", LLR -0.01 (-2.94 to +2.94)")  # the same pair over and over


def test_events_are_json_lines(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with Store.create(tmp_path / "t.sqlite", tournament()) as store:
        events = EventLines(store)
        events.notice("x\n\x1b")
        play(store, events)
        events.ended(finished=True)
    first, notice, *rest, last = map(json.loads, capsys.readouterr().out.splitlines())
    assert (first["event"], first["engines"], first["planned"]) == ("begin", ["a", "</b>"], 20)
    assert notice == {"event": "notice", "text": "x\n\x1b"}
    games = [event for event in rest if event["event"] == "game"]
    assert [event["number"] for event in games] == list(range(1, 21))
    assert games[1]["black"] == "</b>"
    standings = [event["games"] for event in rest if event["event"] == "standings"]
    assert standings  # computing the standings may use a twentieth of the time
    assert set(standings) <= set(range(2, 20, 2))
    assert (last["event"], last["finished"], last["games"]) == ("end", True, 20)
    assert [row["points"] for row in last["standings"]] == [10, 10]


def test_a_command_prints_events_alone(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(commands, "_play_missing", lambda *_: INTERRUPTED)
    path = tmp_path / "t.sqlite"
    Store.create(path, tournament(engines=tuple(EngineConfig(name, ("true",)) for name in "ab"))).close()
    monkeypatch.setattr(commands, "objections", lambda *_: [])
    assert run_command_line(["resume", str(path), "--json"]) == INTERRUPTED
    captured = capsys.readouterr()
    first, last = map(json.loads, captured.out.splitlines())
    assert (first["event"], first["store"]) == ("begin", str(path))
    assert (last["event"], last["finished"]) == ("end", False)
    assert captured.err.startswith("Stopped after 0 of 20 games.")
