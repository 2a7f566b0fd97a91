"""Static values of random positions, beside those of a program of one's own."""

from __future__ import annotations

import math
import resource
import shlex
import subprocess
from collections.abc import Sequence
from functools import partial
from tempfile import TemporaryFile

import click

from quietmove.addons.lab.experiment import experiment, seed_option
from quietmove.addons.lab.searches import random_positions
from quietmove.engine.common.command_line import number_option
from quietmove.engine.games.base import Position
from quietmove.engine.games.registry import get_game
from quietmove.engine.shared_options import game_option
from quietmove.engine.tools.report import Figure, Report, columns

OPENING_PLIES = (1, 50)  # the bounds of the number of random moves that lead to a position
PATIENCE = 60  # seconds: a program has so long for all positions
MOST_OUTPUT = 64 << 20  # bytes: a program that does not see the end of its input writes for ever


def measure(
    game: str = "othello", evaluation: str = "", positions: int = 10, seed: int = 1, program: str = ""
) -> Report:
    """Check an evaluator of one's own by values.

    The program gets each position as a line, as after 'position fen', and writes a number for each: the value in points
    from the side to move.
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
            f"Values are in {rules.point}s, from the side to move.",
            f"The program differs in {wrong} of {len(roots)}." if program else "--program compares those of a program.",
        ),
    )


def static(position: Position, evaluation: str) -> float:
    """Return the static value in points, by one of the game's evaluators."""
    position.choose_evaluator(evaluation)
    return position.static_value() / 100


def answers(program: str, lines: Sequence[str]) -> list[float]:
    """Return the number that a program writes for each of the lines."""
    try:
        if not (words := shlex.split(program)):
            raise ValueError("it is empty")
        with TemporaryFile("w+") as asked, TemporaryFile("w+") as written:
            asked.writelines(f"{line}\n" for line in lines)
            asked.seek(0)
            limit = partial(resource.setrlimit, resource.RLIMIT_FSIZE, (MOST_OUTPUT, MOST_OUTPUT))
            subprocess.run(words, stdin=asked, stdout=written, check=True, timeout=PATIENCE, preexec_fn=limit)
            written.seek(0)
            found = [float(word) for word in written.read().split()]
        if not all(map(math.isfinite, found)):
            raise ValueError("must be finite")
    except (OSError, ValueError, subprocess.SubprocessError) as error:
        raise click.UsageError(f"--program: must write a number for each position: {error}") from None
    if len(found) != len(lines):
        raise click.UsageError(f"--program: must write {len(lines)} numbers, one for each position, not {len(found)}")
    return found


command = experiment(
    "evaluation",
    measure,
    game_option("othello", "The game."),
    click.option("--evaluation", default="", metavar="NAME", help="The evaluator, as the option Evaluation names it."),
    number_option("--positions", 10, "How many.", high=10_000),
    seed_option(),
    click.option("--program", default="", metavar="COMMAND", help="What is compared: 'python3 my_evaluator.py'."),
)
