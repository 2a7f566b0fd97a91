"""Two hundred random games against a stranger: all legal moves and all ends must agree.

open_spiel numbers the squares as we do, 64 is its pass, and it ends a game as soon as neither side can move.
"""

from __future__ import annotations

import random

import pyspiel

from quietmove.engine.games.base import Position
from quietmove.engine.games.othello.board import PASS
from quietmove.engine.games.registry import get_game

GAMES = 200


class OpenSpiel:
    def __init__(self) -> None:
        self.state = pyspiel.load_game("othello").new_initial_state()

    def legal_moves(self) -> list[int]:
        return [] if self.state.is_terminal() else sorted(self.state.legal_actions())

    def play(self, move: int) -> None:
        self.state.apply_action(move)

    def winner(self) -> int:
        assert self.state.is_terminal()
        return round(self.state.returns()[0])


def random_game(position: Position, choices: random.Random) -> list[int]:
    """Play to the end, compare every list of moves and the winner, and return the moves."""
    oracle, played = OpenSpiel(), list[int]()
    while True:
        legal = sorted(position.legal_moves())
        assert oracle.legal_moves() == legal, played
        if not legal:
            break
        move = choices.choice(legal)
        position.play(move)
        oracle.play(move)
        played.append(move)
    points = position.result()
    assert oracle.winner() == (points > 0) - (points < 0), played
    return played


def test_random_games_agree_with_open_spiel() -> None:
    start = get_game("othello").initial()
    played = [random_game(start.copy(), random.Random(seed)) for seed in range(GAMES)]
    assert len({tuple(game) for game in played}) == GAMES
    assert sum(PASS in game for game in played) > 60
    assert any(len(game) - game.count(PASS) < 60 for game in played)
