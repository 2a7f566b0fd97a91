"""Nim against its rules in plain text, and its theory."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator
from functools import reduce
from operator import xor

import pytest

from quietmove.engine.games.base import WIN, Position
from quietmove.engine.games.registry import get_game
from quietmove.engine.protocol.player import Player
from quietmove.engine.search.deepening import Deepening
from quietmove.engine.search.table import Table
from quietmove.engine.values import Info, Limits, Settings

NAMES = (
    "nim",
    "nim 1,2,3",
    "nim 0,7",
    "nim 5,5,5,5,5,5",
    "nim 64",
)


def stones_of(text: str) -> list[int]:
    return [int(pile) for pile in text.split()[0].split(",")]


def rules(text: str) -> dict[str, str]:
    """Return each legal move and the position after it, from the rules and the text of a position alone."""
    piles, other = stones_of(text), "XO"["OX".index(text.split()[1])]
    after = {}
    for pile, stones in enumerate(piles):
        for count in range(1, stones + 1):
            left = [*piles[:pile], stones - count, *piles[pile + 1 :]]
            after[f"{pile + 1}-{count}"] = f"{','.join(map(str, left))} {other}"
    return after


def games(count: int) -> Iterator[tuple[str, Position, list[str]]]:
    for seed, name in itertools.product(range(count), NAMES):
        game, choices = get_game(name), random.Random(seed)
        position = game.initial()
        texts = [game.format_position(position)]
        while position.legal_moves() and (seed == 0 or choices.random() < 0.9):
            position.play(choices.choice(sorted(position.legal_moves())))
            texts.append(game.format_position(position))
        yield name, position, texts


def test_random_games_follow_the_rules() -> None:
    for name, position, texts in games(6):
        game = get_game(name)
        replayed = game.initial()
        for text, after in zip(texts, [*texts[1:], None], strict=True):
            expected = rules(text)
            assert {game.format_move(move) for move in replayed.legal_moves()} == set(expected)
            assert replayed.moves_left() == sum(stones_of(text))
            assert replayed.static_value() == (0 if expected else -WIN)
            assert replayed.side_to_move == "XO".index(text[-1])
            if after is not None:
                move = next(each for each, then in expected.items() if then == after)
                replayed.play(game.parse_move(replayed, move))
        if position.is_over():
            assert position.result() == (WIN if position.side_to_move else -WIN), "who took the last stone wins"


def search(position: Position, settings: Settings, table: Table | None, depth: int | None) -> list[Info]:
    return list(Deepening(position, table, settings, Limits(depth=depth)).iterations())


@pytest.mark.parametrize("piles", [(30, 30, 5), (30, 25, 7), (12, 11, 10, 3), (40, 40)])
def test_piles_that_are_too_many_for_a_search_are_played_by_their_xor(piles: tuple[int, ...]) -> None:
    player = Player(f"nim {','.join(map(str, piles))}")
    move, claim = player.choose(Limits(movetime=1000))
    assert claim is not None
    pile, count = map(int, move.split("-"))
    rest = [each - count * (index == pile) for index, each in enumerate(piles, 1)]
    won = bool(reduce(xor, piles))
    assert (claim.score.value, claim.score.bound) == (
        (WIN - sum(piles), "lower") if won else (sum(piles) - WIN, "upper")
    )
    assert bool(reduce(xor, rest)) != won


def test_the_theory_is_told() -> None:
    game = get_game("nim 3,4,5")
    assert game.theory(game.initial()) == ["XOR of the piles: 2, a win by 1-2"]
    assert game.theory(game.parse_position(["1,2,3", "X"])) == ["XOR of the piles: 0, a loss"]


@pytest.mark.parametrize("algorithm", ["alphabeta", "pvs"])
@pytest.mark.parametrize("name", ["nim 1,2,3", "nim 2,3", "subtraction 9 3", "subtraction 12 3", "subtraction 40 5"])
def test_the_line_of_an_exact_search_goes_to_the_end(name: str, algorithm: str) -> None:
    """With a table too, which cuts lines short: each move of the rest is one that keeps the value."""
    position = get_game(name).initial()
    *_, last = search(position, Settings(algorithm), Table(1), None)
    assert len(last.pv) == WIN - abs(last.score.value)
    for move in last.pv:
        position.play(move)
    assert position.is_over()
