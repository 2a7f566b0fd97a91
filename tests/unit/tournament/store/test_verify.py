"""A store is checked: a sound one has no fault, and whatever is changed in one is found."""

from __future__ import annotations

import random
import re
import sqlite3
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Any

import pytest

from quietmove.engine.games.base import NATURE
from quietmove.engine.games.registry import get_game
from quietmove.referee.clock import Clock
from quietmove.referee.config.model import COLORS, Adjudication, EngineConfig, GameSpec, TimeControl
from quietmove.referee.game.judged_game import nature_move
from quietmove.referee.game.record import GameRecord, MoveRecord
from quietmove.referee.game.verdict import finished, forfeited
from quietmove.tournament.cli import run_command_line
from quietmove.tournament.definition import Tournament
from quietmove.tournament.formats import plan_of
from quietmove.tournament.games import Result, ScheduledGame, game_spec
from quietmove.tournament.store.store import Store
from quietmove.tournament.store.verify import faults_in, game_faults
from tests.fakes.addons import needs_games

OPENINGS = (("f5", "d6"), ("f5", "f6"), ("f5", "f4"))
Change = Callable[[GameRecord], GameRecord]


def tournament(limit: str = "tc=10+0.5", **fields: Any) -> Tournament:
    engines = tuple(EngineConfig(name, ("engine",), limit=TimeControl.parse(limit)) for name in "abc")
    values = {"name": "t", "game": "othello", "seed": 1, "openings": OPENINGS, "settings": (("rounds", 2),)}
    return Tournament(**{**values, "engines": engines, **fields})


def played(spec: GameSpec, plies: int = 1000) -> GameRecord:
    """Return a game of players that choose at random and take some time, up to its end or lost by resignation."""
    game, lots = get_game(spec.game), random.Random(spec.seed)
    position = game.begin(spec.seed)
    clocks = {color: Clock(spec.player(color).limit, spec.player(color).margin_ms) for color in COLORS}
    moves: list[MoveRecord] = []
    while not position.is_over() and len(moves) < plies:
        side, by, more = position.side_to_move, "chance", {}
        if len(moves) < len(spec.opening):
            move, by = game.parse_move(position, spec.opening[len(moves)]), "opening"
        elif side == NATURE:
            move = nature_move(position, spec.seed, len(moves))
        else:
            move, by = lots.choice(sorted(position.legal_moves())), COLORS[side]
            elapsed = lots.randrange(400)
            clocks[COLORS[side]].charge(elapsed + lots.random() - 0.5)
            left = clocks[COLORS[side]].remaining_ms
            more = {"elapsed_ms": elapsed, "clock_ms": None if left is None else round(left)}
        moves.append(MoveRecord(game.format_move(move), by, **more))  # type: ignore[arg-type]
        position.play(move)
    if position.is_over():
        end = finished(position.result(), ("Black", "White"))
    else:
        loser = COLORS[position.side_to_move]
        end = forfeited("resign", loser, f"{spec.player(loser).name} ({loser}) resigns", position.largest_score)
    return GameRecord(spec, tuple(moves), end.reason, end.loser, end.points_black, end.margin_black, end.detail)


def spec(limit: str = "tc=10+0.5", game: str = "othello", **fields: Any) -> GameSpec:
    player = EngineConfig("a", ("engine",), limit=TimeControl.parse(limit))
    opening = ("f5", "d6") if game == "othello" else ()
    return GameSpec(game, opening, player, replace(player, name="b"), seed=7, **fields)


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """Return a store with a whole tournament, as bytes."""
    path = tmp_path_factory.mktemp("sound") / "t.sqlite"
    with Store.create(path, tournament()) as store:
        for number, game in enumerate(plan_of(store.tournament).next_games([])):
            store.add(game, played(game_spec(store.tournament, game), 20 if number == 3 else 1000))
    return path.read_bytes()


def test_a_sound_store_has_no_fault(tmp_path: Path, sound: bytes, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "t.sqlite"
    path.write_bytes(sound)
    assert run_command_line(["verify", str(path)]) == 0
    assert capsys.readouterr().out == f"{path}: 12 games, no fault\n"
    with Store.open_to_read(path) as store:
        assert list(faults_in(store)) == []


def test_missing_games_may_have_been_lost_with_a_log(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "t.sqlite"
    with Store.create(path, tournament()) as store:
        game = next(iter(plan_of(store.tournament).next_games([])))
        store.add(game, played(game_spec(store.tournament, game), 20))
    assert run_command_line(["verify", str(path)]) == 0
    note, last = capsys.readouterr().out.splitlines()
    assert note == f"note: games are missing: not played yet, or lost without a trace with {path}-wal"
    assert last == f"{path}: 1 games, no fault"


@pytest.mark.parametrize(
    ("game", "limit"),
    [
        ("othello", "tc=3/2"),
        pytest.param("einstein", "movetime=500", marks=needs_games),
        pytest.param("whist", "nodes=5", marks=needs_games),
        ("connect 7x6x4", "tc=10+0.5"),
    ],
)
def test_games_of_every_kind_are_sound(game: str, limit: str) -> None:
    assert list(game_faults(played(spec(limit, game)))) == []


def with_move(record: GameRecord, index: int, **changes: Any) -> GameRecord:
    moves = list(record.moves)
    moves[index] = replace(moves[index], **changes)
    return replace(record, moves=tuple(moves))


CHANGES: dict[str, Change] = {
    r"ply 9, a1: not legal": lambda record: with_move(record, 8, move="a1"),
    r"ply 9, \w\w: by: must be black, not chance": lambda record: with_move(record, 8, by="chance"),
    r"opening: must be f5 d6": lambda record: with_move(record, 1, move="f6"),
    r"ply 9, \w\w: clock: must be \d+ ms by the times, not 9": lambda record: with_move(record, 8, clock_ms=9),
    r"ply 9, \w\w: time: must be from 0 to \d+ ms, not 99999": lambda r: with_move(r, 8, elapsed_ms=99999),
    r"ply 9, \w\w: time: .*, not -5": lambda record: with_move(record, 8, elapsed_ms=-5),
    r"ply 9, \w\w: clock: must be \d.* by the time control, not None": lambda r: with_move(r, 8, clock_ms=None),
    r"ply 6\d, .*: the game was already over": lambda r: replace(r, moves=(*r.moves, MoveRecord("pass", "black"))),
    r"verdict finished: the game is not over": lambda record: replace(record, moves=record.moves[:-1]),
    r"result: must be .* for Black, .*, not ": lambda r: replace(r, margin_black=r.margin_black + 2),
    r"verdict resign: the game is over on the board": lambda r: replace(r, reason="resign", loser="black"),
    r"result: must be ": lambda record: replace(record, loser="white"),
}
CHANGES_OF_A_FORFEIT: dict[str, Change] = {
    r"verdict resign: must charge black, not white": lambda r: replace(
        r, loser="white", points_black=1.0, margin_black=64
    ),
    r"verdict resign: nothing ends the game here": lambda record: replace(record, loser=None),
    r"result: must be 0 for Black, -64, not 0, -10": lambda record: replace(record, margin_black=-10),
    r"verdict adjudicated: nothing ends the game here": lambda r: replace(r, reason="adjudicated", loser=None),
    r"result: must be 0 for Black, -64, not 1, -64": lambda record: replace(record, points_black=1.0),
}


@pytest.mark.parametrize(
    ("plies", "fault", "change"),
    [(1000, *each) for each in CHANGES.items()] + [(20, *each) for each in CHANGES_OF_A_FORFEIT.items()],
    ids=[*CHANGES, *CHANGES_OF_A_FORFEIT],
)
def test_what_is_changed_in_a_game_is_found(plies: int, fault: str, change: Change) -> None:
    record = played(spec(), plies)
    assert list(game_faults(record)) == []
    with pytest.raises(AssertionError, match=fault):
        raise AssertionError(next(game_faults(change(record)), "no fault"))


@needs_games
def test_dice_are_rolled_anew() -> None:
    record = played(spec("nodes=5", "einstein"))
    rolls = [index for index, move in enumerate(record.moves) if move.by == "chance"]
    values = {record.moves[index].move for index in rolls}
    index = rolls[-1]
    other = next(value for value in sorted(values) if value != record.moves[index].move)
    assert f"ply {index + 1}, {other}: not the roll of the dice" in list(
        game_faults(with_move(record, index, move=other))
    )


def test_an_adjudicated_game_is_judged_again() -> None:
    rules = Adjudication(solve_empties=6)
    record = played(spec("nodes=5", adjudication=rules), 56)
    position = get_game("othello").initial()
    for move in record.moves:
        position.play(get_game("othello").parse_move(position, move.move))
    assert 0 < position.moves_left() <= 6
    outcomes = []
    for margin in range(-64, 65, 2):
        points = 0.5 + 0.5 * ((margin > 0) - (margin < 0))
        end = replace(record, reason="adjudicated", loser=None, points_black=points, margin_black=margin)
        outcomes += [margin] * (not any(fault.startswith("result") for fault in game_faults(end)))
    assert len(outcomes) == 1
    claimed = replace(record, spec=spec("nodes=5", adjudication=Adjudication(max_plies=30)))
    assert "ply 31" in next(game_faults(claimed))


@pytest.mark.parametrize(
    ("query", "fault"),
    [
        ("UPDATE game SET seed = 5 WHERE number = 2", r"game 2: seed: must be \d+, not 5"),
        (
            "UPDATE game SET opening = 'f5' WHERE number = 2",
            r"game 2: column opening: must be '.*', not 'f5'",
        ),
        ("UPDATE game SET round = 9 WHERE number = 2", r"game 2: id: must be .*, not GameId\(round=9"),
        (
            "UPDATE game SET number = 99 WHERE number = 2; UPDATE record SET number = 99 WHERE number = 2",
            "game 99: the format round-robin does not schedule this game",
        ),
        (
            "UPDATE game SET longest_ms_black = 77 WHERE number = 2",
            r"game 2: column longest_ms_black: must be \d+, not 77",
        ),
        ("UPDATE game SET margin_black = 1 WHERE number = 2", "game 2: column margin_black: must be .* not 1"),
        ("UPDATE game SET moves = 'f5' WHERE number = 2", "game 2: column moves: must be .*, not 'f5'"),
        ("UPDATE tournament SET config = replace(config, '\"seed\":1', '\"seed\":2')", "game 1: "),
    ],
)
def test_what_is_changed_in_the_tables_is_found(
    tmp_path: Path, sound: bytes, capsys: pytest.CaptureFixture[str], query: str, fault: str
) -> None:
    path = tmp_path / "t.sqlite"
    path.write_bytes(sound)
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.executescript(query)
    assert run_command_line(["verify", str(path)]) == 1
    *faults, last = capsys.readouterr().out.splitlines()
    assert any(re.match(fault, line) for line in faults)
    assert last == f"{path}: 12 games, {len(faults)} fault{'s' * (len(faults) > 1)}"


def test_games_that_were_resumed_in_a_sandbox_are_sound(tmp_path: Path) -> None:
    with Store.create(tmp_path / "t.sqlite", tournament()) as store:
        first, second = islice(plan_of(store.tournament).next_games([]), 2)
        play(store, [first])
        begun = store.tournament
        store.tournament = begun.in_sandboxes()
        play(store, [second])
        store.tournament = begun
        assert list(faults_in(store)) == []


def test_commas_in_the_moves_of_a_game_of_ones_own_are_no_fault(tmp_path: Path) -> None:
    (tmp_path / "pairs.py").write_text(
        "class Pairs:\n"
        "    def start(self): return ()\n"
        "    def moves(self, state): return [] if len(state) == 4 else [0, 1]\n"
        "    def play(self, state, move): return (*state, move)\n"
        "    def result(self, state): return 0\n"
        "    def name(self, move): return f'{move},{move}'\n"
    )
    game = f"{tmp_path}/pairs.py:Pairs"
    with Store.create(tmp_path / "t.sqlite", tournament(game=game, openings=(("0,0", "1,1"),))) as store:
        play(store, list(plan_of(store.tournament).next_games([])))
        assert list(faults_in(store)) == []
        assert store.game(1)[0].opening == ("0,0", "1,1")


def test_games_of_a_tournament_that_was_stopped_are_not_missed(tmp_path: Path) -> None:
    with Store.create(tmp_path / "t.sqlite", tournament()) as store:
        for game in list(plan_of(store.tournament).next_games([]))[2:5]:  # the first two were still running
            store.add(game, played(game_spec(store.tournament, game)))
        assert list(faults_in(store)) == []


def test_games_that_follow_from_results_are_asked_for_with_these(tmp_path: Path) -> None:
    with Store.create(tmp_path / "t.sqlite", tournament(format="knockout", settings=())) as store:
        results: list[Result] = []
        while new := [
            game
            for game in plan_of(store.tournament).next_games(results)
            if game.number not in {result.number for result in results}
        ]:
            results = sorted((*results, *play(store, new)), key=lambda result: result.number)
        assert list(faults_in(store)) == []


def play(store: Store, games: list[ScheduledGame]) -> list[Result]:
    return [store.add(game, played(game_spec(store.tournament, game))) for game in games]
