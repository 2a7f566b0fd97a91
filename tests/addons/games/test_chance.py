"""Expectiminimax: every pruning, ordering and table gives the value of the plain tree, and the rules on limits hold."""

from __future__ import annotations

import random

import pytest

from quietmove.addons.games.chance import ChanceDeepening
from quietmove.engine.errors import GameError
from quietmove.engine.games.base import Game, Position
from quietmove.engine.games.registry import get_game
from quietmove.engine.search.ordering import ORDERINGS
from quietmove.engine.search.table import Table
from quietmove.engine.values import Info, Limits, SearchResult, Settings


@pytest.fixture
def game() -> Game:
    return get_game("einstein")


def oracle(position: Position, depth: int) -> int:
    """Return the value by the definition, with nothing but the game's own moves."""
    if outcomes := position.outcomes():
        if depth == 0:
            return position.static_value()
        total, weights = 0, 0
        for move, weight in outcomes:
            position.play(move)
            total += weight * oracle(position, depth)
            weights += weight
            position.undo()
        return (2 * total + weights) // (2 * weights)
    if depth == 0 or position.is_over():
        return position.static_value()
    values = []
    for move in position.legal_moves():
        position.play(move)
        values.append(-oracle(position, depth - 1))
        position.undo()
    return max(values)


def positions(game: Game, count: int) -> list[Position]:
    """Return positions with a player to move, from the first moves to the last."""
    found = []
    for seed in range(count):
        lots, position = random.Random(seed), game.initial()
        for _ in range(1 + 2 * (seed % 20)):
            if legal := position.legal_moves():
                position.play(lots.choice(sorted(legal)))
        if position.legal_moves() and not position.outcomes():
            found.append(position.copy())
    return found


def run(
    position: Position, settings: Settings, limits: Limits, table: Table | None = None
) -> tuple[list[Info], SearchResult]:
    search = ChanceDeepening(position, table, settings, limits)
    return list(search.iterations()), search.result()


def test_every_variant_has_the_value_of_the_plain_tree(game: Game) -> None:
    for position in positions(game, 40):
        values = [oracle(position, depth) for depth in (1, 2, 3)]
        for algorithm in ("minimax", "alphabeta", "pvs"):
            for table in (None, Table(1)):
                infos, _ = run(position, Settings(algorithm), Limits(depth=3), table)
                found = [info.score.value for info in infos]
                assert found == values[: len(found)], (algorithm, game.format_position(position))
                assert len(found) == min(3, position.moves_left())


def test_the_move_has_the_value(game: Game) -> None:
    for position in positions(game, 20):
        for algorithm in ("alphabeta", "pvs"):
            (info, *_), _ = run(position, Settings(algorithm), Limits(depth=1))
            position.play(info.pv[0])
            assert info.score.value == -oracle(position, 0)
            position.undo()


def test_pruning_deep_down_agrees_too(game: Game) -> None:
    """Star1 and Star2 against the plain tree where that is too large for Python, with every ordering, and two lines."""
    saved = 0
    for number, position in enumerate(positions(game, 20)[10:]):
        plain, _ = run(position, Settings("minimax", multipv=2), Limits(depth=4))
        for algorithm in ("alphabeta", "pvs"):
            for ordering in ORDERINGS[number % 4 :: 4]:
                pruned, _ = run(position, Settings(algorithm, ordering, multipv=2), Limits(depth=4), Table(1))
                assert [info.score for info in pruned] == [info.score for info in plain]
                saved += plain[-1].nodes - pruned[-1].nodes
    assert saved > 0


def test_a_finished_tree_is_the_exact_value(game: Game) -> None:
    """Two pieces, each one step from its goal: the side to move wins."""
    position = game.parse_position(["-----f------------1------", "B", "3"])
    infos, result = run(position, Settings(), Limits())
    assert (result.move, infos[-1].score.value) == (game.parse_move(position, "1se"), 10000)
    assert infos[-1].pv == (result.move,)
    assert result.ponder is None


def test_there_is_nothing_to_choose_at_natures_turn(game: Game) -> None:
    with pytest.raises(GameError, match="chance node"):
        ChanceDeepening(game.initial(), None, Settings(), Limits(depth=1))
