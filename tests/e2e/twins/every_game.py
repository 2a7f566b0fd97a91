"""Random games of every game: all that can be seen of their positions, and searches of them."""

import random

from rows import searched, show

from quietmove.engine.games.registry import BUILT_IN, get_game
from quietmove.engine.search.deepening import Deepening
from quietmove.engine.search.table import Table
from quietmove.engine.values import Limits, Settings

VARIANTS = (
    "connect 7x6x4",
    "connect 5x4x4",
    "nim 1,2,3",
    "subtraction 10 2",
    "tictactoe 4x4x3",
    "tictactoe 5x2x3",
    "tree 3x4 2",
)
GAMES = 2  # of each name

rows = {}
for name in (*sorted(BUILT_IN), *VARIANTS):
    game = get_game(name)
    for seed in range(GAMES):
        choices, position = random.Random(seed), game.initial()
        for ply in range(60):
            moves = position.legal_moves()
            row = [game.format_position(position), position.key, moves, position.static_value(), position.moves_left()]
            row += [game.draw(position), game.canonical(position), position.perft(2)]
            if ply % 4 == seed and moves and game.kind == "perfect":
                choices_here = [Settings(), Settings(quiescence=True)]
                choices_here += [Settings(evaluation=evaluation) for evaluation in game.evaluators[1:]]
                for settings in choices_here:
                    row += searched(Deepening(position, Table(1), settings, Limits(depth=3)))
            rows[f"{name} {seed} {ply}"] = row
            if not moves:
                break
            position.play(choices.choice(moves))
show(rows)
