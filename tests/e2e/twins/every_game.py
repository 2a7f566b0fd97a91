"""Random games of every game: all that can be seen of their positions, and searches of them."""

import random

from shared import searched, show

from quietmove.engine.games.registry import BUILT_IN, get_game
from quietmove.engine.games.user.game import UserGame
from quietmove.engine.search.deepening import Deepening
from quietmove.engine.search.minimax import Minimax
from quietmove.engine.search.table import Table
from quietmove.engine.values import Limits, Settings

VARIANTS = (
    "capture XX-OX-OO",
    "connect 7x6x4",
    "connect 5x4x4",
    "nim 0,7,2",
    "nim 1,2,3",
    "subtraction 10 2",
    "subtraction 1000 64",
    "tictactoe 4x4x3",
    "tictactoe 5x2x3",
    "tree 3x4 2",
)
GAMES = 2  # random games of each name
WAYS = (Settings(), Settings(quiescence=True), Settings("alphabeta", "history"), Settings("minimax", "static"))


class Take:
    """Take one, two or three of a heap; a state is the heap and the side to move."""

    def start(self) -> tuple[int, int]:
        return 15, 0

    def moves(self, state: tuple[int, int]) -> list[int]:
        return [count for count in (3, 2, 1) if count <= state[0]]

    def play(self, state: tuple[int, int], move: int) -> tuple[int, int]:
        return state[0] - move, 1 - state[1]

    def result(self, state: tuple[int, int]) -> int:
        return 1 if state[1] else -1

    def side(self, state: tuple[int, int]) -> int:
        return state[1]


rows = {}
for game in (*map(get_game, (*sorted(BUILT_IN), *VARIANTS)), UserGame("take", Take())):
    for seed in range(GAMES):
        choices, position = random.Random(seed), game.initial()
        for ply in range(60):
            moves = position.legal_moves()
            row = [game.format_position(position), position.key, moves, position.static_value(), position.moves_left()]
            row += [game.draw(position), game.canonical(position), position.perft(2 if len(moves) < 32 else 1)]
            if ply % 8 == 4 * seed and moves and game.kind == "perfect":
                way = WAYS[ply // 4 % len(WAYS)]
                for settings in (way, *(Settings(evaluation=each) for each in game.evaluators[1:])):
                    depth = 3 if settings.algorithm == "pvs" else 2
                    row += searched(Deepening(position, Table(1), settings, Limits(depth=depth)))
                row += searched(Deepening(position, None, Settings(), Limits(nodes=200)))
                row.append(Minimax(position).value(2))
            rows[f"{game.name} {seed} {ply}"] = row
            if not moves:
                break
            position.play(choices.choice(moves))
show(rows)
