"""Positions, scores and numbers in words."""

from __future__ import annotations

from quietmove.engine.games.base import WIN
from quietmove.engine.games.registry import get_game
from quietmove.engine.protocol.describe import describe_score, pluralize


def test_one_and_many() -> None:
    assert [pluralize(count, "move") for count in (0, 1, 1200)] == ["0 moves", "1 move", "1,200 moves"]
    game = get_game("tictactoe")
    assert describe_score(game, WIN - 1) == "a win in 1 ply"
    assert describe_score(game, 2 - WIN) == "a loss in 2 plies"
