"""The horizon: how often a depth limit stops amid noisy moves, and what quiescence repairs."""

from __future__ import annotations

import random
from collections.abc import Sequence
from statistics import mean

from quietmove.addons.lab.experiment import experiment, seed_option
from quietmove.addons.lab.searches import random_positions, search_once, share
from quietmove.engine.common.command_line import number_option
from quietmove.engine.games.base import Position
from quietmove.engine.games.registry import get_game
from quietmove.engine.tools.report import Cell, Figure, Report, columns
from quietmove.engine.values import Settings

REFERENCE_DEPTH = {"capture": 8, "othello": 9}  # plies of the search, with quiescence, whose value counts as true
CELLS, PIECES = 16, 8  # the cells of a random row of capture, and how many of them have a piece
OPENING_PLIES = (20, 44)  # the bounds of the number of random moves that lead to an Othello position
WRONG = 100  # hundredths from the reference value that count as a misjudgement: one point
MEGABYTES = 4


def measure(positions: int = 60, seed: int = 1, depth: int = 4) -> Report:
    """How often a depth limit misvalues random positions.

    Without quiescence and with it.
    """
    rows: list[tuple[Cell, ...]] = []
    drawn = {
        "capture": random_rows(positions, seed),
        "othello": random_positions("othello", positions, seed, OPENING_PLIES),
    }
    for name, far in REFERENCE_DEPTH.items():
        truth = [search_once(each, far, Settings(quiescence=True), MEGABYTES).value for each in drawn[name]]
        for plies in range(1, depth + 1):
            without, following = (
                [
                    abs(search_once(each, plies, Settings(quiescence=follow)).value - true)
                    for each, true in zip(drawn[name], truth, strict=True)
                ]
                for follow in (False, True)
            )
            rows.append((name, plies, *judge(without, following)))
    return Report(
        "horizon",
        f"{positions} random positions of each game: the depth limit misjudges what quiescence follows to its end",
        columns(
            "game; depth:d; wrong without %:.1f; wrong with %:.1f; repaired:d; spoilt:d; "
            "mean error without:.2f; mean error with:.2f"
        ),
        rows,
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
        (
            f"Wrong: a point or more from the value of a far deeper search with quiescence, "
            f"{REFERENCE_DEPTH['capture']} plies in capture and {REFERENCE_DEPTH['othello']} in Othello.",
            "Repaired: wrong without quiescence and right with it. Spoilt: the other way round.",
        ),
    )


def random_rows(count: int, seed: int) -> list[Position]:
    """Return starts of games of capture with as many pieces on either side, in any cells."""
    choices = random.Random(seed)
    found = list[Position]()
    while len(found) < count:
        row = ["-"] * CELLS
        for number, cell in enumerate(choices.sample(range(CELLS), PIECES)):
            row[cell] = "XO"[number % 2]
        position = get_game(f"capture {''.join(row)}").initial()
        found += [] if position.is_over() else [position]
    return found


def judge(without: Sequence[int], following: Sequence[int]) -> tuple[Cell, ...]:
    """Return the figures of one depth.

    :param without, following: the error of each value without quiescence and with it, in hundredths of a point.
    """
    pairs = [(bad >= WRONG, good >= WRONG) for bad, good in zip(without, following, strict=True)]
    wrong = [round(share(sum(each), len(pairs)), 2) for each in zip(*pairs, strict=True)]
    errors = [round(mean(each) / 100, 4) for each in (without, following)]
    return (*wrong, pairs.count((True, False)), pairs.count((False, True)), *errors)


command = experiment(
    "horizon",
    measure,
    number_option("--positions", 60, "Of each game.", high=10_000),
    seed_option("Of the random positions."),
    number_option("--depth", 4, "The largest depth limit.", high=8),
)
