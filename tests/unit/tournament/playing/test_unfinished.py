"""Long games go on after their last move; the others are played from their beginning."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from quietmove.referee.clock import Clock
from quietmove.referee.config.model import EngineConfig, GameSpec, TimeControl
from quietmove.referee.game.host import play_game
from quietmove.referee.game.judged_game import JudgedGame
from quietmove.referee.game.record import Clocks, MoveRecord, Observer
from quietmove.referee.match.running import local_pool
from quietmove.tournament.cli import run_command_line
from quietmove.tournament.definition import Tournament
from quietmove.tournament.errors import StoreError, TournamentError
from quietmove.tournament.formats import plan_of
from quietmove.tournament.games import ScheduledGame, game_spec
from quietmove.tournament.playing.missing_games import MoveKeeper, is_long, play_missing
from quietmove.tournament.store.store import Store
from quietmove.tournament.store.verify import faults_in

OPENING = ("f5", "d6")


def tournament(limit: str) -> Tournament:
    engines = tuple(
        EngineConfig(
            name, protocol="in-process", limit=TimeControl.parse(limit), options=(("Hash", "1"),), margin_ms=60_000
        )
        for name in "ab"
    )
    return Tournament("t", "othello", 1, (OPENING,), engines, settings=(("rounds", 1),))


def spec(limit: str, other: str = "depth=1", protocol: str = "uci") -> GameSpec:
    engine = EngineConfig("a", ("engine",), protocol, limit=TimeControl.parse(limit))
    return GameSpec("othello", OPENING, engine, replace(engine, name="b", limit=TimeControl.parse(other)))


@pytest.mark.parametrize(
    ("limit", "long"),
    [
        ("tc=60", False),
        ("tc=60.001", True),
        ("tc=30+1", False),
        ("tc=30+1.001", True),
        ("tc=10/20", False),  # the clock is refilled twice before the 30th move
        ("tc=10/20.001", True),
        ("movetime=2000", False),
        ("movetime=2001", True),
        ("nodes=1000000000", False),
        ("depth=60", False),
    ],
)
def test_a_long_game_has_more_than_a_minute_for_thirty_moves_of_either_engine(limit: str, long: bool) -> None:
    assert (is_long(spec(limit)), is_long(spec("depth=1", limit))) == (long, long)


def test_a_player_of_whole_games_alone_is_never_set_into_one() -> None:
    assert not is_long(spec("tc=600", "tc=600", "project"))


class Stopper(Observer):
    """Fails after so many moves of the engines, which ends the game as a kill does."""

    def __init__(self, moves: int) -> None:
        self.left = moves

    def move_made(self, ply: int, move: MoveRecord, clocks: Clocks) -> None:
        self.left -= move.by != "opening"
        if self.left < 0:
            raise KeyError("stopped")


class Noted(Observer):
    """Keeps the first clocks and how many moves there were then."""

    def __init__(self) -> None:
        self.plies = 0
        self.began: tuple[int, Clocks] | None = None

    def move_made(self, ply: int, move: MoveRecord, clocks: Clocks) -> None:
        self.plies = ply

    def turn_began(self, color: str, clocks: Clocks) -> None:
        self.began = self.began or (self.plies, clocks)


def stop_after(path: Path, moves: int, limit: str) -> dict[int, tuple[MoveRecord, ...]]:
    """Play until one game has so many moves; return the moves that are kept of each game."""
    with Store.create(path, tournament(limit)) as store:
        with local_pool(1) as pool, pytest.raises(TournamentError, match="stopped"):
            list(play_missing(store, pool, observer=lambda _: Stopper(moves), kept_above_ms=0))
        assert store.results() == []
        return {game.number: store.saved_moves(game) for game in plan_of(store.tournament).next_games([])}


def test_a_long_game_goes_on_after_its_last_move_with_the_clocks_as_they_stood(tmp_path: Path) -> None:
    path, noted, notices = tmp_path / "t.sqlite", Noted(), list[str]()
    kept = stop_after(path, 21, "tc=0.1")
    assert [len(moves) for moves in kept.values()] == [21, 0]
    with Store.open_to_write(path) as store:
        assert list(faults_in(store)) == []
        with local_pool(1) as pool:
            list(play_missing(store, pool, notices.append, observer=lambda _: noted, kept_above_ms=0))
        (_, first), _ = store.games()
        assert first.moves[2:23] == kept[1]
        assert list(faults_in(store)) == []
        assert store.games_in_progress() == set()
    assert notices == [f"game 1 continues after ply 23, {kept[1][-1].move}"]
    last = {move.by: move.clock_ms for move in kept[1]}
    assert noted.began == (23, last)


def test_a_game_by_nodes_is_played_from_its_beginning(tmp_path: Path) -> None:
    path, noted = tmp_path / "t.sqlite", Noted()
    assert [*stop_after(path, 21, "nodes=20").values()] == [(), ()]
    with Store.open_to_write(path) as store, local_pool(1) as pool:
        list(play_missing(store, pool, observer=lambda _: noted, kept_above_ms=0))
        (_, first), _ = store.games()
    assert noted.began == (2, {"black": None, "white": None})
    whole = play_game(first.spec)
    assert [move.move for move in first.moves] == [move.move for move in whole.moves]


def test_a_game_whose_last_move_is_kept_ends_as_it_would_have(tmp_path: Path) -> None:
    path = tmp_path / "t.sqlite"
    with Store.create(path, tournament("tc=0.1")) as store, local_pool(1) as pool:
        game = next(iter(plan_of(store.tournament).next_games([])))
        whole = play_game(game_spec(store.tournament, game))
        assert whole.reason == "finished"
        for ply, move in enumerate(whole.moves[2:], 3):
            store.keep(game.number, ply, move)
        played = dict(play_missing(store, pool, kept_above_ms=0))
    assert played[game] == whole


def test_time_over_the_limit_of_a_move_stays_used(tmp_path: Path) -> None:
    player = EngineConfig("a", protocol="in-process", limit=TimeControl(movetime_ms=100), margin_ms=50)
    late = [MoveRecord("f5", "black", 120), MoveRecord("d6", "white", 90), MoveRecord("c3", "black", 125)]
    clocks = JudgedGame(GameSpec("othello", (), player, player), played=late).clocks
    assert [clocks[color].overdrawn_ms for color in ("black", "white")] == [45.0, 0.0]
    refilled = Clock(TimeControl.parse("tc=2/10"), 100)
    for reading in (6000, 13_000, 9000):
        refilled.replay(4000, reading)
    assert (refilled.remaining_ms, refilled.movestogo) == (9000.0, 1)


EDITS = {
    "UPDATE kept_move SET ply = 30 WHERE ply = 12": "game 1: saved move: ply: must be 12, not 13",
    "UPDATE kept_move SET move = json_set(move, '$.elapsed_ms', '1') WHERE ply = 12": "game 1: ",
}
FAULTS = {
    "UPDATE kept_move SET move = json_set(move, '$.move', 'a1') WHERE ply = 12": "ply 12, a1: not legal: ",
    "UPDATE kept_move SET move = json_set(move, '$.by', 'chance') WHERE ply = 12": r"ply 12, \w+: by: must be ",
    "UPDATE kept_move SET move = json_set(move, '$.clock_ms', 5000) WHERE ply = 12": r"ply 12, \w+: clock: must be ",
    "UPDATE kept_move SET move = json_set(move, '$.elapsed_ms', -1) WHERE ply = 12": r"ply 12, \w+: time: must be ",
}


@pytest.fixture(scope="module")
def stopped(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """Return a store with one game that was stopped after 21 moves, as bytes."""
    path = tmp_path_factory.mktemp("stopped") / "t.sqlite"
    stop_after(path, 21, "tc=0.1")
    return path.read_bytes()


def edited(path: Path, stopped: bytes, query: str) -> Path:
    path.write_bytes(stopped)
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute(query)
    return path


@pytest.mark.parametrize("query", EDITS)
def test_kept_moves_that_cannot_be_read_are_one_error(tmp_path: Path, stopped: bytes, query: str) -> None:
    path = edited(tmp_path / "t.sqlite", stopped, query)
    with Store.open_to_write(path) as store:
        with pytest.raises(StoreError, match=f"^store: {path} is damaged: {EDITS[query]}"):
            list(faults_in(store))
        with local_pool(1) as pool, pytest.raises(StoreError, match=f"^store: {path} is damaged: {EDITS[query]}"):
            list(play_missing(store, pool, kept_above_ms=0))


@pytest.mark.parametrize("query", FAULTS)
def test_the_kept_part_is_held_to_the_rules(
    tmp_path: Path, stopped: bytes, query: str, capsys: pytest.CaptureFixture[str]
) -> None:
    path = edited(tmp_path / "t.sqlite", stopped, query)
    assert run_command_line(["verify", str(path)]) == 1
    with pytest.raises(AssertionError, match=f"^game 1, not finished: {FAULTS[query]}"):
        raise AssertionError(capsys.readouterr().out)


def test_no_game_goes_on_after_an_illegal_move(tmp_path: Path, stopped: bytes) -> None:
    path = edited(tmp_path / "t.sqlite", stopped, next(iter(FAULTS)))
    fault = r"^game 1, a - b, could not be played: .*move 12 of a resumed game"
    with Store.open_to_write(path) as store, local_pool(1) as pool, pytest.raises(TournamentError, match=fault):
        list(play_missing(store, pool, kept_above_ms=0))


def test_a_full_disk_ends_the_run_with_one_error(tmp_path: Path) -> None:
    path = tmp_path / "t.sqlite"
    with Store.create(path, tournament("tc=0.1")) as store:
        game: ScheduledGame = next(iter(plan_of(store.tournament).next_games([])))
        keeper = MoveKeeper(store, game.number, 2)
        keeper.move_made(2, MoveRecord("d6", "opening"), {})
        keeper.move_made(3, MoveRecord("c3", "black"), {})
        assert store._keeping
        (pages,) = store._keeping.execute("PRAGMA page_count").fetchone()
        store._keeping.execute(f"PRAGMA max_page_count = {pages}")
        error = rf"full; its games are intact; continue with 'resume {path}'$"
        with pytest.raises(StoreError, match=error):  # noqa: PT012 (how many moves find room is not known)
            for ply in range(4, 1000):
                keeper.move_made(ply, MoveRecord("c3", "black"), {})
        assert store.saved_moves(game)[0] == MoveRecord("c3", "black")
