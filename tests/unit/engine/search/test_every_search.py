"""What every kind of search keeps: its limits, an end when it is told to end, and the moves that it may choose from."""

from __future__ import annotations

import threading
import time
from dataclasses import replace
from queue import SimpleQueue
from typing import Any

import pytest

from quietmove.engine.games.base import Position
from quietmove.engine.games.optional import HiddenCards
from quietmove.engine.games.registry import get_game
from quietmove.engine.search.deepening import Deepening
from quietmove.engine.search.mcts import MonteCarlo
from quietmove.engine.search.node import ALGORITHMS
from quietmove.engine.search.root_search import OwnSearch
from quietmove.engine.search.table import Table
from quietmove.engine.values import Info, Limits, Settings
from tests.fakes.addons import present_games
from tests.fakes.processes import WAIT

STARTS = {
    "plain": ("othello", "---------------------------OX------XO--------------------------- X"),
    "threads": ("othello", "---------------------------OX------XO--------------------------- X"),
    "chance": ("einstein", "145--26---3---c---fb--eda B 4"),
    "hidden": ("whist 3x6 6", ""),
    "mcts": ("othello", "---------------------------OX------XO--------------------------- X"),
}
UNLIMITED = Limits()
STARTS = {kind: row for kind, row in STARTS.items() if present_games(row[0])}
every_kind = pytest.mark.parametrize("kind", STARTS)


def start(kind: str) -> Position:
    game, text = get_game(STARTS[kind][0]), STARTS[kind][1]
    if isinstance(game, HiddenCards):
        text = game.view(game.begin(1), 0)
    return game.parse_position(text.split())


def search_of(kind: str, position: Position, limits: Limits = UNLIMITED, algorithm: str = "pvs") -> Any:
    settings = Settings(algorithm, threads=2 if kind == "threads" else 1)
    if kind == "mcts":
        return MonteCarlo(position, 1, settings, limits)
    game = get_game(STARTS[kind][0])
    make = game.new_search if isinstance(game, OwnSearch) else Deepening
    return make(position, Table(1), settings, limits, time.perf_counter)


@pytest.mark.parametrize("algorithm", ALGORITHMS)
@pytest.mark.parametrize("kind", [kind for kind in STARTS if kind != "threads"])
def test_a_node_limit_is_met_exactly_and_the_search_can_be_repeated(kind: str, algorithm: str) -> None:
    """Only the first iteration is finished in any case: a node for each move, or a simulation of each."""
    position = start(kind)
    moves = len(position.legal_moves())
    for nodes in (1, 2, 7, 59, 60, 777, 2049, 5000):
        reports = []
        for _ in range(2):
            search = search_of(kind, position, Limits(nodes=nodes), algorithm)
            reports.append([replace(info, time=0) for info in search.iterations()])
            result = search.result()
            assert result.nodes == nodes or nodes < result.nodes <= moves * (66 if kind == "mcts" else 1)
            assert result.move == reports[-1][-1].pv[0]
        assert reports[0] == reports[1]


@every_kind
def test_a_search_that_is_stopped_before_it_begins_searches_one_ply(kind: str) -> None:
    search = search_of(kind, start(kind))
    search.stop()
    infos, result = list(search.iterations()), search.result()
    one_ply = search_of(kind, start(kind), Limits(nodes=1))
    assert [replace(info, time=0) for info in infos] == [replace(info, time=0) for info in one_ply.iterations()]
    assert (result.move, result.score, result.depth) == (infos[-1].pv[0], infos[-1].score, infos[-1].depth)
    if kind != "mcts":
        assert (result.depth, result.nodes) == (1, len(start(kind).legal_moves()))


def test_an_answer_before_the_first_iteration_is_a_good_move() -> None:
    """After f5 the generator lists f4 first, which loses seven discs."""
    position = get_game("othello").initial()
    position.play(get_game("othello").parse_move(position, "f5"))
    best = search_of("plain", position, Limits(depth=1))
    list(best.iterations())
    for limits in (Limits(nodes=1), UNLIMITED):
        search = search_of("plain", position, limits)
        if limits is UNLIMITED:
            search.stop()
        list(search.iterations())
        assert search.result().move == best.result().move != position.legal_moves()[0]


@every_kind
def test_a_search_is_stopped_from_another_thread(kind: str) -> None:
    position = start(kind)
    before = (position.key, position.ply, position.legal_moves())
    search = search_of(kind, position, algorithm="minimax" if kind == "hidden" else "pvs")
    infos: SimpleQueue[Info] = SimpleQueue()

    def think() -> None:
        for info in search.iterations():
            infos.put(info)

    thread = threading.Thread(target=think, daemon=True)
    thread.start()
    last = infos.get(timeout=WAIT)
    search.stop()
    thread.join(WAIT)
    assert not thread.is_alive()
    while not infos.empty():
        last = infos.get()
    assert (search.result().move, search.result().depth) == (last.pv[0], last.depth)
    assert (position.key, position.ply, position.legal_moves()) == before


@every_kind
def test_only_the_moves_that_are_asked_for_are_searched(kind: str) -> None:
    *_, move = start(kind).legal_moves()
    search = search_of(kind, start(kind), Limits(nodes=3000, searchmoves=(move,)))
    assert {info.pv[0] for info in search.iterations()} == {move}
    assert search.result().move == move


@every_kind
def test_a_finished_game_has_no_move(kind: str) -> None:
    position = get_game(STARTS[kind][0]).begin(1) if kind == "hidden" else start(kind)
    while moves := position.legal_moves():
        position.play(moves[0])
    search = search_of(kind, position)
    assert list(search.iterations()) == []
    result = search.result()
    assert (result.move, result.ponder, result.score, result.depth, result.nodes) == (None, None, None, 0, 0)
