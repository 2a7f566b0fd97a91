"""Simulations that are told: those of the search that is not traced, and each of their figures by counting."""

from __future__ import annotations

from collections import defaultdict
from math import log, sqrt

import pytest

from quietmove.addons.lab.simulations import Settings, simulate
from quietmove.engine.games.base import Position
from quietmove.engine.games.registry import get_game
from quietmove.engine.search.uct import REWARD, Uct

COUNT = 200


@pytest.mark.parametrize("name", ["tictactoe", "tree", "connect", "nim 3,4"])
def test_the_tree_is_that_of_the_search_that_tells_nothing(name: str) -> None:
    grown = simulate(get_game(name).initial(), COUNT, Settings(seed=3))
    position = get_game(name).initial()
    plain = Uct(position, position.legal_moves(), 1, Settings().exploration, 3, lambda: False)
    while plain.simulations < len(grown.simulations):
        plain.run(plain.nodes + 1)
    last = {place: n for each in grown.simulations for place, n in zip(each.path, each.visits, strict=True)}
    for branch in plain.branches():
        assert branch.visits == last.get(branch.place, 0)
    assert plain.used == len(grown.moves)
    assert len(grown.simulations) == COUNT or plain.is_decided


def won(position: Position, moves: list[int]) -> float:
    """Return what a game is worth to who begins it: 1, 0.5 or 0."""
    side = position.side_to_move
    for move in moves:
        position.play(move)
    assert position.is_over()
    score = -position.result() if side else position.result()
    return 0.5 if score == 0 else float(score > 0)


def test_visits_means_and_bounds_are_those_of_the_games_that_were_played() -> None:
    """As long as nothing is proven, all figures follow from the playouts alone."""
    game, settings = get_game("tictactoe"), Settings(seed=1)
    grown = simulate(game.initial(), 60, settings)
    results: dict[int, list[float]] = defaultdict(list)
    expanded = {0}
    for told in grown.simulations:
        for place, choices in zip(told.path, told.choices, strict=False):
            parent_visits = len(results[place])
            for choice in choices:
                assert grown.moves[choice.place] == (place, choice.move)
                found = results[choice.place]
                assert choice.visits == len(found)
                if found:
                    assert choice.mean == pytest.approx(sum(found) / len(found), abs=2 / REWARD)
                    explored = settings.exploration / 100 * sqrt(log(parent_visits + 1) / len(found))
                    assert choice.bound == pytest.approx(sum(found) / len(found) + explored, abs=0.001)
            chosen = told.path[told.path.index(place) + 1]
            best = max(choices, key=lambda choice: 9 if choice.bound is None else choice.bound)
            assert chosen == best.place
        if told.expanded is not None:
            assert told.path[told.expanded] not in expanded
            expanded.add(told.path[told.expanded])
        way = [link[1] for link in map(grown.moves.__getitem__, told.path) if link is not None]
        for level, place in enumerate(told.path):
            position = game.initial()
            for move in way[: max(0, level - 1)]:
                position.play(move)
            results[place].append(won(position, [*way[max(0, level - 1) :], *told.playout]))
        assert told.visits == [len(results[place]) for place in told.path]
        for place, mean in list(zip(told.path, told.means, strict=True))[1:]:
            assert mean == pytest.approx(sum(results[place]) / len(results[place]), abs=2 / REWARD)
