"""Five hundred random games against a stranger, twenty against another: all legal moves and all ends must agree.

open_spiel numbers the squares as we do, 64 is its pass, and it ends a game as soon as neither side can move. pyffish
calls the game flipello, counts its ranks from the bottom, begins with what it calls White, and passes by a null move
such as ``a1a1``.
"""

from __future__ import annotations

import random

import pyffish
import pyspiel
import pytest

from quietmove.engine.games.base import Position
from quietmove.engine.games.othello.board import PASS
from quietmove.engine.games.registry import get_game

GAMES = 500
WITH_PYFFISH = 20  # it takes a hundred times as long
START = pyffish.start_fen("flipello")
EARLY_ENDS = (476, 481)  # the games of these seeds leave most squares empty


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


class Pyffish:
    """It ends a game after two passes, so the end is where it passes twice, or has no move left on a full board."""

    def __init__(self) -> None:
        self.moves: list[str] = []
        self.names: dict[int, str] = {}

    def ask(self, *further: str) -> dict[int, str]:
        """Return its names of the legal moves after ``further`` moves, by our numbers."""
        names = pyffish.legal_moves("flipello", START, [*self.moves, *further])
        return {self.number(name): name for name in names}

    def legal_moves(self) -> list[int]:
        self.names = self.ask()
        if list(self.names) == [PASS]:
            reply = self.ask(self.names[PASS])
            if list(reply) in ([], [PASS]):
                self.moves += [self.names[PASS], *reply.values()]
                return []
        return sorted(self.names)

    def play(self, move: int) -> None:
        self.moves.append(self.names[move])

    def winner(self) -> int:
        ended, value = pyffish.is_immediate_game_end("flipello", START, self.moves)
        assert ended
        sign = (value > 0) - (value < 0)
        return -sign if len(self.moves) % 2 else sign

    @staticmethod
    def number(name: str) -> int:
        """Return our number of ``P@e3``, counted from the other edge, or of a null move."""
        if name[:2] == name[2:]:
            return PASS
        assert name.startswith("P@")
        return "abcdefgh".index(name[2]) + 8 * (8 - int(name[3]))


def random_game(position: Position, choices: random.Random, oracle: OpenSpiel | Pyffish) -> list[int]:
    """Play to the end, compare every list of moves and the winner, and return the moves."""
    played: list[int] = []
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


def games(first: int, last: int, make: type[OpenSpiel] | type[Pyffish]) -> list[list[int]]:
    game = get_game("othello")
    return [random_game(game.initial(), random.Random(seed), make()) for seed in range(first, last)]


@pytest.mark.parametrize("first", range(0, GAMES, 100))
def test_random_games_agree_with_open_spiel(first: int) -> None:
    played = games(first, first + 100, OpenSpiel)
    assert len({tuple(game) for game in played}) == 100
    assert sum(PASS in game for game in played) > 30
    assert any(len(game) - game.count(PASS) < 60 for game in played)


def test_random_games_agree_with_pyffish() -> None:
    """pyffish sets itself up anew in each call, some milliseconds long."""
    played = games(0, WITH_PYFFISH, Pyffish)
    assert any(PASS in game for game in played)


def test_pyffish_agrees_on_games_that_end_early() -> None:
    game = get_game("othello")
    for seed in EARLY_ENDS:
        position = game.initial()
        random_game(position, random.Random(seed), Pyffish())
        assert position.moves_left() > 0
