"""Weighted minimax over the deals of a view, and its Monte Carlo version."""

from __future__ import annotations

import random
from fractions import Fraction

import pytest

from quietmove.addons.games.hidden import UNIT, HiddenDeepening, sample
from quietmove.addons.games.tree.game import TreeGame
from quietmove.engine.errors import GameError
from quietmove.engine.games.base import Game, Position
from quietmove.engine.games.registry import get_game
from quietmove.engine.protocol.notation import play_moves
from quietmove.engine.search.table import Table
from quietmove.engine.values import Info, Limits, SearchResult, Settings
from tests.fakes.games import play_at_random

UNLIMITED = Limits()


@pytest.fixture
def game() -> Game:
    return get_game("whist 3x4 4")


def view_of(game: Game, seed: int, plies: int) -> Position:
    """Return what the player to move knows after some moves of one deal."""
    position = game.begin(seed)
    play_at_random(position, random.Random(seed), plies)
    return game.parse_position(game.view(position, position.side_to_move).split())


def open_value(position: Position, known: dict[int, int]) -> int:
    """Return the value of an open position by the definition."""
    if position.is_over():
        return position.static_value()
    if position.key not in known:
        values = []
        for move in position.legal_moves():
            position.play(move)
            values.append(-open_value(position, known))
            position.undo()
        known[position.key] = max(values)
    return known[position.key]


def averages(game: Game, view: Position) -> dict[int, Fraction]:
    """Return for each move the exact average of its values over all deals."""
    sums = dict.fromkeys(view.legal_moves(), 0)
    deals = game.deals(view)
    known: dict[int, int] = {}
    for deal, weight in deals:
        assert weight == 1
        for move in sums:
            deal.play(move)
            sums[move] -= open_value(deal, known)
            deal.undo()
    return {move: Fraction(total, len(deals)) for move, total in sums.items()}


def run(
    game: Game,
    view: Position,
    settings: Settings = Settings(),  # noqa: B008 (a frozen value)
    limits: Limits = UNLIMITED,
    table: Table | None = None,
) -> tuple[list[Info], SearchResult]:
    search = HiddenDeepening(view, table, settings, limits, game=game)
    return list(search.iterations()), search.result()


def test_it_is_the_average_over_all_deals(game: Game) -> None:
    for seed in range(10):
        view = view_of(game, seed, 2 + seed % 5)
        exact = averages(game, view)
        best = max(exact.values())
        for algorithm in ("minimax", "alphabeta", "pvs"):
            for table in (None, Table(1)):
                infos, result = run(game, view, Settings(algorithm, multipv=64), table=table)
                lines = infos[-len(exact) :]
                assert {line.pv[0]: line.score.value for line in lines} == {
                    move: (2 * value + 1) // 2 for move, value in exact.items()
                }
                assert result.move is not None
                assert exact[result.move] == best
                assert result.depth == view.moves_left()


def test_open_cards_are_plain_minimax(game: Game) -> None:
    for seed in range(5):
        position = game.begin(seed)
        play_moves(game, position, [game.format_move(position.legal_moves()[0])])
        _, result = run(game, position)
        assert result.score is not None
        assert result.score.value == open_value(position, {})


class Loaded(TreeGame):
    """A view that stands for trees of one ply, each with its weight."""

    def __init__(self, *deals: tuple[str, int]) -> None:
        super().__init__("loaded", list)
        self.trees = [(super(Loaded, self).parse_position([leaves, "max"]), weight) for leaves, weight in deals]

    def deals(self, position: Position) -> list[tuple[Position, int]]:
        return self.trees


def test_a_deal_counts_by_its_weight() -> None:
    """Move 1: (1·10 + 3·0) / 4 = 2.5; move 2: (1·0 + 3·6) / 4 = 4.5. Of equal weights: 5 and 3."""
    for weights, expected in (((1, 3), [(1, 450), (0, 250)]), ((1, 1), [(0, 500), (1, 300)])):
        game = Loaded(("[10,0]", weights[0]), ("[0,6]", weights[1]))
        infos, result = run(game, game.trees[0][0], Settings(multipv=2))
        assert [(info.pv[0], info.score.value) for info in infos] == expected
        assert result.move == expected[0][0]


def test_a_sample_is_right_on_average() -> None:
    """Over many seeds the weights in the samples sum to the weights, however unequal, for each deal by itself."""
    weights, seeds = (1, 2, 3, 10), 4000
    deals = [(get_game("tree").initial(), weight) for weight in weights]
    for count in (1, 2, 3):
        sums = dict.fromkeys(range(4), 0)
        for seed in range(seeds):
            for deal, weight in sample(deals, count, seed):
                sums[next(index for index, (each, _) in enumerate(deals) if each is deal)] += weight
        for index, weight in enumerate(weights):
            assert sums[index] / seeds / UNIT == pytest.approx(weight, rel=0.25)


def test_a_weight_is_a_whole_number_from_one() -> None:
    game = Loaded(("[10,0]", 1), ("[0,6]", 0))
    with pytest.raises(GameError, match="game loaded: weights of deals must be whole numbers from 1"):
        run(game, game.trees[0][0])


def test_a_sample_follows_from_its_seed(game: Game) -> None:
    deals = game.deals(view_of(game, 1, 0))
    names = [[game.format_position(deal) for deal, _ in sample(deals, 10, seed)] for seed in (1, 1, 2)]
    assert names[0] == names[1] != names[2]
    assert len(set(names[0])) == 10
    assert len({weight for _, weight in sample(deals, 10, 1)}) == 1
    assert [deal for deal, _ in sample(deals, 5, 1)] == [deal for deal, _ in sample(deals, 10, 1)][:5]
    assert sample(deals, 0, 1) == sample(deals, len(deals), 1) == sample(deals, 10**6, 1) == deals


def test_a_search_for_a_player_with_an_unknown_hand_is_refused(game: Game) -> None:
    position = game.begin(1)
    view = game.parse_position(game.view(position, 1).split())
    with pytest.raises(GameError, match="hand of the player to move is unknown"):
        HiddenDeepening(view, None, Settings(), UNLIMITED, game=game)
