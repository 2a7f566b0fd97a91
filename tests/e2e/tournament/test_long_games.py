"""A run that is killed at random moments loses no game and no move."""

from __future__ import annotations

import os
import random
import signal
import time
from dataclasses import replace
from pathlib import Path

from quietmove.engine.protocol.player import Player
from quietmove.referee.config.model import Color, EngineConfig, TimeControl
from quietmove.referee.game.record import Clocks, MoveRecord, Observer
from quietmove.referee.match.running import local_pool
from quietmove.tournament.definition import Tournament
from quietmove.tournament.formats import plan_of
from quietmove.tournament.playing.missing_games import play_missing
from quietmove.tournament.store.store import Store
from quietmove.tournament.store.verify import faults_in
from tests.e2e.conftest import Fakes

KILLS = 8
MOST_TURNS = 20  # maximum number of turns, in all games together, between two kills
MOST_WAIT = 0.004  # maximum delay of a kill after a turn, in seconds; a turn takes about as long
OPENING = ("f5", "d6")
TOURNAMENT = Tournament(
    "t",
    "othello",
    1,
    (OPENING,),
    tuple(
        EngineConfig(
            name,
            protocol="in-process",
            limit=TimeControl(base_ms=100),
            margin_ms=60_000,
            options=(("Hash", "1"), ("Evaluation", "classic")),
        )
        for name in "ab"
    ),
    settings=(("rounds", 2),),
)
GAMES = range(1, 5)


class TurnTeller(Observer):
    """Takes a byte from one pipe for each turn, without which no game goes on, and writes one into another."""

    def __init__(self, allowed: int, told: int) -> None:
        self._allowed, self._told = allowed, told

    def turn_began(self, color: Color, clocks: Clocks) -> None:
        os.read(self._allowed, 1)
        os.write(self._told, b".")


def test_killed_at_random_moments_no_game_is_lost_and_each_goes_on_where_it_stood(tmp_path: Path) -> None:
    path, lots = tmp_path / "t.sqlite", random.Random(20)
    Store.create(path, TOURNAMENT).close()
    Player("othello")  # modules imported here are loaded in every child
    games: dict[int, tuple[MoveRecord, ...]] = {}
    in_midgame = 0
    for _ in range(KILLS):
        play_and_kill(path, lots.randrange(MOST_TURNS), lots.random() * MOST_WAIT)
        with Store.open_to_read(path) as store:
            assert list(faults_in(store)) == []
            in_midgame += bool(store.games_in_progress())
            found = played(store)
        for number, moves in games.items():
            assert found[number][: len(moves)] == moves
        games = found
    assert in_midgame > KILLS / 2
    assert any(len(moves) > MOST_TURNS for moves in games.values())
    with Store.open_to_write(path) as store, local_pool(2) as pool:
        finished = [game.number for game, _ in play_missing(store, pool, kept_above_ms=0)]
        ended = played(store)
        assert sorted(ended) == list(GAMES)
        assert len(finished) == len({*finished}) > 0
        assert list(faults_in(store)) == []
        assert store.games_in_progress() == set()
    for number, moves in games.items():
        assert ended[number][: len(moves)] == moves
    for moves in ended.values():
        for color in ("black", "white"):
            clocks = [move.clock_ms or 0 for move in moves if move.by == color]
            assert clocks == sorted(clocks, reverse=True)


def test_an_engine_that_is_killed_in_a_long_game_loses_it(tmp_path: Path, fakes: Fakes) -> None:
    engines = tuple(
        fakes.config(each, "--ply", "9", limit=TimeControl(base_ms=100_000)) for each in ("sane", "kill-itself")
    )
    with Store.create(tmp_path / "t.sqlite", replace(TOURNAMENT, engines=engines, settings=(("rounds", 1),))) as store:
        with local_pool(1) as pool:
            found = [(record.reason, record.loser) for _, record in play_missing(store, pool)]
        assert found == [("crash", "white"), ("crash", "black")]
        assert store.games_in_progress() == set()


def play_and_kill(path: Path, turns: int, wait: float) -> None:
    """Play on in a child, which is killed by SIGKILL some seconds after so many turns of its games have begun."""
    reader, writer = os.pipe()
    allowed, allow = os.pipe()
    os.write(allow, b"." * (turns + 1))  # without a limit, a child would finish its games before a slow kill
    child = os.fork()
    if child == 0:
        try:
            with Store.open_to_write(path) as store, local_pool(2) as pool:
                for _ in play_missing(store, pool, observer=lambda _: TurnTeller(allowed, writer), kept_above_ms=0):
                    pass
        finally:
            os._exit(1)  # the child survived
    os.close(writer)
    for _ in range(turns):
        assert os.read(reader, 1)
    time.sleep(wait)
    os.kill(child, signal.SIGKILL)
    for each in (reader, allowed, allow):
        os.close(each)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == -signal.SIGKILL


def played(store: Store) -> dict[int, tuple[MoveRecord, ...]]:
    """Return the moves after the opening of each game, finished or not; there must be some."""
    moves = {game.number: record.moves[len(OPENING) :] for game, record in store.games()}
    running = {game.number: store.saved_moves(game) for game in plan_of(TOURNAMENT).next_games([])}
    assert not [number for number in moves if running[number]]
    return moves | {number: kept for number, kept in running.items() if kept}
