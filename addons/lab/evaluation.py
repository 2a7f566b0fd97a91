"""Static values of random positions, optionally compared with your own program's values."""

from __future__ import annotations

from collections.abc import Sequence

import click

from quietmove.addons.lab.experiment import experiment, seed_option
from quietmove.addons.lab.searches import random_positions
from quietmove.addons.shared.evaluator_program import evaluate
from quietmove.addons.shared.report import Figure, Report, columns
from quietmove.engine.common.command_line import number_option
from quietmove.engine.games.base import Position
from quietmove.engine.games.registry import get_game
from quietmove.engine.shared_options import game_option

OPENING_PLIES = (1, 50)  # range of the number of random moves before a position
PATIENCE = 60  # time limit for all positions, in seconds


def measure(
    game: str = "othello", evaluation: str = "", positions: int = 10, seed: int = 1, program: str = ""
) -> Report:
    """Compare your own evaluator's values with the engine's.

    The program gets one position per line, in the format that follows 'position fen', and prints one number for each:
    the value in points from the side to move's point of view.
    """
    rules = get_game(game)
    roots = random_positions(game, positions, seed, OPENING_PLIES)
    values = [static(root, evaluation) for root in roots]
    texts = [rules.format_position(root) for root in roots]
    theirs = answers(program, texts) if program else [None] * len(roots)
    off = [None if other is None else round(other - value, 4) for value, other in zip(values, theirs, strict=True)]
    wrong = sum(bool(each) for each in off)
    return Report(
        "evaluation",
        f"{rules.name}: static values of {len(roots)} random positions",
        columns("value:.2f; program:.2f; difference:.2f; position"),
        list(zip(values, theirs, off, texts, strict=True)),
        (Figure("value", ("program",), "value of the program", "value here", "points", log=False),),
        (
            f"Values are in {rules.point}s, from the side to move's point of view.",
            f"The program differs in {wrong} of {len(roots)}."
            if program
            else "Compare a program's values with --program.",
        ),
    )


def static(position: Position, evaluation: str) -> float:
    """Return the position's static value in points, according to the given evaluator."""
    position.choose_evaluator(evaluation)
    return position.static_value() / 100


def answers(program: str, lines: Sequence[str]) -> list[float]:
    """Run a program on the lines and return the number it prints for each."""
    try:
        return evaluate(program, lines, PATIENCE)
    except ValueError as error:
        raise click.UsageError(f"--program: {error}") from None


command = experiment(
    "evaluation",
    measure,
    game_option("othello", "The game."),
    click.option(
        "--evaluation", default="", metavar="NAME", help="The evaluator: a value of the engine's Evaluation option."
    ),
    number_option("--positions", 10, "Number of positions.", high=10_000),
    seed_option(),
    click.option(
        "--program", default="", metavar="COMMAND", help="Program to compare, such as 'python3 my_evaluator.py'."
    ),
)
