"""Positions for the tests of the rules and the search."""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest

from engine.games.base import Game, Position, get_game

PlayedPosition = Callable[[int, int], Position]


@pytest.fixture(scope="session")
def othello() -> Game:
    return get_game("othello")


@pytest.fixture(scope="session")
def played(othello: Game) -> PlayedPosition:
    """Return a maker of positions: ``seed`` chooses the moves, ``plies`` of them are made, fewer if the game ends."""

    def play(seed: int, plies: int) -> Position:
        choices = random.Random(seed)
        position = othello.initial()
        for _ in range(plies):
            moves = sorted(position.legal_moves())
            if not moves:
                break
            position.play(choices.choice(moves))
        return position

    return play
