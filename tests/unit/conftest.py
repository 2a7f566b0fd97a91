"""Positions for the tests of the rules and the search."""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest

from quietmove.engine.games.base import Game, Position
from tests.fakes.games import play_at_random

PlayedPosition = Callable[[int, int], Position]


@pytest.fixture(scope="session")
def played(othello: Game) -> PlayedPosition:
    """Return a maker of positions: ``seed`` chooses the moves, ``plies`` of them are made, fewer if the game ends."""

    def play(seed: int, plies: int) -> Position:
        position = othello.initial()
        play_at_random(position, random.Random(seed), plies)
        return position

    return play
