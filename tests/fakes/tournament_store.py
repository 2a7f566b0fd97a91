"""Stores of tournaments whose games nobody had to play."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import islice
from pathlib import Path

from quietmove.referee.config.model import COLORS, EngineConfig, Reason, TimeControl
from quietmove.referee.game.record import GameRecord, MoveRecord
from quietmove.tournament.definition import Tournament
from quietmove.tournament.formats import plan_of
from quietmove.tournament.games import GameId, Result, game_spec
from quietmove.tournament.store.store import Store

LITTLE = Tournament(  # its engines do not exist
    name="little",
    game="othello",
    seed=3,
    settings=(("rounds", 1),),
    openings=(("f5", "d6"), ()),
    engines=tuple(EngineConfig(name, (name, "x")) for name in "abc"),
)
OPENING = ("f5",)
MOVES = (
    MoveRecord("f5", "opening"),
    MoveRecord("d6", "white", 20, score=50, depth=1, nodes=10),
    MoveRecord("c3", "black", 1500, score=-50, depth=1, nodes=10),
    MoveRecord("d3", "white", 30, score=150, depth=1, nodes=10),
)


def a_tournament(name: str, names: Sequence[str], played: str = "round-robin", **settings: int | str) -> Tournament:
    """Return a tournament of players in this process that look one ply ahead."""
    engines = tuple(EngineConfig(each, protocol="in-process", limit=TimeControl(depth=1)) for each in names)
    rules = tuple(settings.items()) if played != "round-robin" else (("rounds", 1),)
    return Tournament(name, "othello", 7, (OPENING,), engines, settings=rules, format=played)


STONES = tuple(MoveRecord(move, color) for move, color in (("2-1", "black"), ("1-1", "white"), ("2-1", "black")))


def write_a_game_of_nim(path: Path) -> None:
    """Begin a store with a game that has no board of squares: the moves :data:`STONES`."""
    tournament = replace(a_tournament("stones", ("a", "b")), game="nim 1,2", openings=((),))
    with Store.create(path, tournament) as store:
        game = next(iter(plan_of(tournament).next_games([])))
        store.add(game, GameRecord(game_spec(tournament, game), STONES, "finished", None, 1.0, 1, "black wins"))


def write_games(store: Store, count: int, reason: Reason = "finished") -> None:
    """Add the next ``count`` games. Black wins each by 10; with another ``reason``, White is charged with it."""
    tournament, results = store.tournament, store.results()
    known = {result.number for result in results}
    missing = (game for game in plan_of(tournament).next_games(results) if game.number not in known)
    loser = None if reason == "finished" else "white"
    for game in islice(missing, count):
        store.add(game, GameRecord(game_spec(tournament, game), MOVES, reason, loser, 1.0, 10, "black wins"))


def write_store(path: Path, tournament: Tournament, count: int, reason: Reason = "finished") -> None:
    """Begin a store with its first ``count`` games."""
    with Store.create(path, tournament) as store:
        write_games(store, count, reason)


def results_of(names: Sequence[str], rounds: int, points_black: float = 1, margin_black: int = 2) -> list[Result]:
    """Return the results of so many pairs of different games between the first two of ``names``, all with one end."""
    pair = (names[0], names[1])
    games = [GameId(number, pair, color) for number in range(1, rounds + 1) for color in COLORS]
    return [
        Result(game, number, points_black, margin_black, "finished", None, "", f"{number}")
        for number, game in enumerate(games, 1)
    ]
