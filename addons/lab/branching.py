"""The branching factor of a game or a position, measured in random games."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from statistics import mean

import click

from quietmove.addons.lab.experiment import experiment, position_option, seed_option
from quietmove.addons.shared.report import Cell, Figure, Report, columns
from quietmove.engine.common.command_line import number_option
from quietmove.engine.games.base import NATURE, Position
from quietmove.engine.games.registry import get_game
from quietmove.engine.shared_options import game_option

STAGE = 10  # number of plies per table row
MOST_PLIES = 1000  # length limit of a random game, in plies


def measure(game: str = "othello", position: str | None = None, games: int = 200, seed: int = 1) -> Report:
    """Mean branching factor of a game or a position.

    The branching factor is the mean number of legal moves over the positions of random games.
    """
    rules = get_game(game)
    choices = random.Random(seed)
    begin = rules.begin if position is None else lambda _: rules.parse_position(position.split())
    played = [list(choices_by_ply(begin(seed + number), choices)) for number in range(games)]
    decisions = [[(ply, count) for ply, side, count in found if side != NATURE] for found in played]
    if not any(decisions):
        raise click.UsageError("the position: the game is already over; choose one with a legal move")
    longest = max(map(len, played))
    stages = [(f"{low + 1} to {low + STAGE}", range(low, low + STAGE)) for low in range(0, longest, STAGE)]
    counted = [(label, [count for game in decisions for ply, count in game if ply in plies]) for label, plies in stages]
    everything = [count for game in decisions for _, count in game]
    plies = round(mean(map(len, decisions)), 1)
    rolls = [count for found in played for _, side, count in found if side == NATURE]
    chance = f" --chance {mean(rolls):.1f}" if rolls else ""
    return Report(
        "branching",
        f"{rules.name}{'' if position is None else f' from {position}'}: legal moves in {games} random games",
        columns("plies; positions:,d; branching factor:.2f; fewest:d; most:d"),
        [row(*each) for each in (*counted, ("all", everything)) if each[1]],
        (Figure("plies", ("branching factor", "most"), "legal moves", "plies", log=False),),
        (
            "The branching factor is the mean number of legal moves; a forced pass counts as one move.",
            f"A game lasts {plies} moves on average. For a suitable search technique, run: quietmove classify"
            f" --branching {mean(everything):.2f} --depth {round(plies)}{chance}",
        ),
    )


def choices_by_ply(position: Position, choices: random.Random) -> Iterator[tuple[int, int, int]]:
    """Yield the ply, the side to move and the number of legal moves for each position of a random game."""
    for ply in range(MOST_PLIES):
        moves = sorted(position.legal_moves())
        if not moves:
            return
        yield ply, position.side_to_move, len(moves)
        position.play(choices.choice(moves))
        position = position.copy()  # a position's undo history is limited


def row(label: str, found: Sequence[int]) -> tuple[Cell, ...]:
    return (label, len(found), round(mean(found), 4), min(found), max(found))


command = experiment(
    "branching",
    measure,
    game_option("othello", "The game."),
    position_option,
    number_option("--games", 200, "Number of random games.", high=100_000),
    seed_option(),
)
