"""Positions for the tests of the rules and the search."""

from __future__ import annotations

import random
import threading
from collections.abc import Callable
from typing import Any

import pytest

from quietmove.engine.games.base import Game, Position
from quietmove.engine.values import Info
from tests.fakes.games import play_at_random
from tests.fakes.processes import WAIT

PlayedPosition = Callable[[int, int], Position]
StoppedSearch = Callable[[Any], list[Info]]


@pytest.fixture(scope="session")
def played(othello: Game) -> PlayedPosition:
    """Return a maker of positions: ``seed`` chooses the moves, ``plies`` of them are made, fewer if the game ends."""

    def play(seed: int, plies: int) -> Position:
        position = othello.initial()
        play_at_random(position, random.Random(seed), plies)
        return position

    return play


@pytest.fixture(scope="session")
def stopped() -> StoppedSearch:
    """Return what runs a search in a thread, stops it from this one after its first report, and returns the reports."""

    def run_and_stop(search: Any) -> list[Info]:
        begun = threading.Event()
        infos: list[Info] = []

        def think() -> None:
            for info in search.iterations():
                infos.append(info)
                begun.set()

        thread = threading.Thread(target=think, daemon=True)
        thread.start()
        assert begun.wait(WAIT)
        search.stop()
        thread.join(WAIT)
        assert not thread.is_alive()
        return infos

    return run_and_stop
