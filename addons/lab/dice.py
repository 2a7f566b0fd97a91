"""Expectiminimax with and without Star pruning (Ballard 1983)."""

from __future__ import annotations

import random

import click

from quietmove.addons.games.expectimax import Expectimax
from quietmove.addons.lab.experiment import experiment, seed_option
from quietmove.addons.lab.searches import deepen, saved
from quietmove.addons.shared.report import Figure, Report, columns
from quietmove.engine.common.command_line import number_option
from quietmove.engine.games.base import NATURE, Position
from quietmove.engine.games.registry import get_game
from quietmove.engine.protocol.describe import short_score
from quietmove.engine.shared_options import game_option
from quietmove.engine.values import Settings


def measure(game: str = "einstein", depth: int = 4, plies: int = 8, seed: int = 1) -> Report:
    """Expectiminimax, Star1 and Star2: the same value, fewer nodes."""
    ways = [
        deepen(rolled(game, plies, seed), depth, Settings(algorithm, "static"), recursion=Expectimax)
        for algorithm in ("minimax", "alphabeta", "pvs")
    ]
    rows = []
    for plain, star1, star2 in zip(*ways, strict=True):
        shares = [saved(each.nodes, plain.nodes) for each in (star1, star2)]
        values = (short_score(plain.value), short_score(star2.value))
        rows.append((plain.depth, *values, plain.nodes, star1.nodes, star2.nodes, *shares))
    return Report(
        "dice",
        f"{game} after {plies} random moves: what pruning saves at chance nodes",
        columns(
            "depth:d; value; value by Star2; nodes without pruning:,d; Star1:,d; Star2:,d; "
            "Star1 saves %:.1f; Star2 saves %:.1f"
        ),
        rows,
        (Figure("depth", ("nodes without pruning", "Star1", "Star2"), "nodes of the iteration", "depth (plies)"),),
        (
            "Depth counts the players' moves; each roll of the die is also a node.",
            "Star1 stops once the average must fall outside the window; Star2 first tries one move after each roll.",
        ),
    )


def rolled(name: str, plies: int, seed: int) -> Position:
    """Return the position after random moves by nature and the players, with a player to move.

    :raises click.UsageError: if the game has no chance.
    """
    game = get_game(name)
    if game.kind != "chance":
        raise click.UsageError(f"--game: must be a game of chance, such as einstein, not {name!r}")
    choices = random.Random(seed)
    position = game.initial()
    made = 0
    while made < plies or position.side_to_move == NATURE:
        position.play(choices.choice(position.legal_moves()))
        made += 1
        if position.is_over():
            position = game.initial()
            made = 0
    return position.copy()


command = experiment(
    "dice",
    measure,
    game_option("einstein", "Game of chance."),
    number_option("--depth", 4, "Search depth in players' moves."),
    number_option("--plies", 8, "Number of random moves before the search.", 0, 20),
    seed_option(),
)
