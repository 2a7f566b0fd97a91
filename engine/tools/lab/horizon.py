"""The horizon: how often a depth limit stops amid noisy moves, and what quiescence repairs."""

from __future__ import annotations

import random
from collections.abc import Sequence

from quietmove.command_help import number_option
from quietmove.engine.games.base import Game, Position
from quietmove.engine.games.registry import get_game
from quietmove.engine.tools.lab.experiment import experiment
from quietmove.engine.tools.lab.report import Cell, Figure, Report, columns
from quietmove.engine.tools.lab.work import search_once, share, wander
from quietmove.engine.values import Settings

__all__ = ["command", "measure", "random_positions"]

REFERENCE_DEPTH = {"capture": 8, "othello": 9}  # plies of the search, with quiescence, whose value counts as true
CELLS, PIECES = 16, 8  # of the random rows
PLIES = (20, 44)  # the least and the most random moves that lead to an Othello position
WRONG = 100  # hundredths from the reference value that count as a misjudgement: one point
MEGABYTES = 4


def measure(positions: int = 60, seed: int = 1, depth: int = 4) -> Report:
    """How often a depth limit misvalues random positions.

    Without quiescence and with it.
    """
    rows: list[tuple[Cell, ...]] = []
    notes = [
        f"Wrong: a point or more from the value of a far deeper search with quiescence, {REFERENCE_DEPTH['capture']}"
        f" plies in capture and {REFERENCE_DEPTH['othello']} in Othello.",
        "Repaired: wrong without quiescence and right with it. Spoilt: the other way round.",
    ]
    for name, far in REFERENCE_DEPTH.items():
        drawn = random_positions(name, positions, seed)
        truth = [search_once(each, far, Settings(quiescence=True), MEGABYTES).value for _, each in drawn]
        for plies in range(1, depth + 1):
            plain, quiet = (
                [search_once(each, plies, Settings(quiescence=follow)).value for _, each in drawn]
                for follow in (False, True)
            )
            rows.append((name, plies, *judge(plain, quiet, truth)))
    return Report(
        "horizon",
        f"{positions} random positions of each game: the depth limit misjudges what quiescence follows to its end",
        columns(
            "game; depth:d; wrong without %:.1f; wrong with %:.1f; repaired:d; spoilt:d; "
            "mean error without:.2f; mean error with:.2f"
        ),
        tuple(rows),
        (
            Figure(
                "depth",
                ("wrong without %", "wrong with %"),
                "positions misjudged (%)",
                "depth limit (plies)",
                log=False,
                series="game",
                labels=("without quiescence", "with quiescence"),
            ),
        ),
        tuple(notes),
    )


def random_positions(name: str, count: int, seed: int) -> list[tuple[Game, Position]]:
    """Return positions in which the game goes on, each with its game."""
    choices = random.Random(seed)
    draw = {"capture": random_row, "othello": random_board}[name]
    found: list[tuple[Game, Position]] = []
    while len(found) < count:
        game, position = draw(choices)
        if not position.is_over():
            found.append((game, position))
    return found


def random_row(choices: random.Random) -> tuple[Game, Position]:
    """Return the start of a game of capture with as many pieces on either side, in any cells."""
    row = ["-"] * CELLS
    for number, cell in enumerate(choices.sample(range(CELLS), PIECES)):
        row[cell] = "XO"[number % 2]
    game = get_game(f"capture {''.join(row)}")
    return game, game.initial()


def random_board(choices: random.Random) -> tuple[Game, Position]:
    """Return an Othello position after random moves."""
    game = get_game("othello")
    return game, wander(game.initial(), choices.randint(*PLIES), choices)


def judge(plain: Sequence[int], quiet: Sequence[int], truth: Sequence[int]) -> tuple[Cell, ...]:
    """Return the figures of one depth."""
    without, following = (
        [abs(value - true) for value, true in zip(values, truth, strict=True)] for values in (plain, quiet)
    )
    pairs = [(bad >= WRONG, good >= WRONG) for bad, good in zip(without, following, strict=True)]
    return (
        round(share(sum(bad for bad, _ in pairs), len(truth)), 2),
        round(share(sum(bad for _, bad in pairs), len(truth)), 2),
        pairs.count((True, False)),
        pairs.count((False, True)),
        round(sum(without) / len(truth) / 100, 4),
        round(sum(following) / len(truth) / 100, 4),
    )


command = experiment(
    "horizon",
    measure,
    number_option("--positions", 60, "Of each game.", high=10_000),
    number_option("--seed", 1, "Of the random moves.", 0),
    number_option("--depth", 4, "The largest depth limit.", high=8),
)
