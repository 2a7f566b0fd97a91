"""The horizon effect: a depth limit amid noisy moves misjudges positions; quiescence search corrects some of them."""

from __future__ import annotations

import random
from collections.abc import Sequence
from statistics import mean

from quietmove.addons.lab.experiment import experiment, seed_option
from quietmove.addons.lab.searches import random_positions, search_once, share
from quietmove.addons.shared.report import Cell, Figure, Report, columns
from quietmove.engine.common.command_line import number_option
from quietmove.engine.games.base import Position
from quietmove.engine.games.registry import get_game
from quietmove.engine.values import Settings

REFERENCE_DEPTH = {"capture": 8, "othello": 9}  # depth of the quiescence search whose value counts as true, in plies
CELLS, PIECES = 16, 8  # number of cells in a random capture row, and of pieces on it
OPENING_PLIES = (20, 44)  # range of the number of random moves before an Othello position
WRONG = 100  # error that counts as a misjudgement, in hundredths of a point
MEGABYTES = 4


def measure(positions: int = 60, seed: int = 1, depth: int = 4) -> Report:
    """Random positions that a depth limit misvalues.

    Each position is searched with and without quiescence.
    """
    rows: list[tuple[Cell, ...]] = []
    drawn = {
        "capture": random_rows(positions, seed),
        "othello": random_positions("othello", positions, seed, OPENING_PLIES),
    }
    worst = ""
    most = 0
    for name, far in REFERENCE_DEPTH.items():
        truth = [search_once(each, far, Settings(quiescence=True), MEGABYTES).value for each in drawn[name]]
        for plies in range(1, depth + 1):
            values = [
                [search_once(each, plies, Settings(quiescence=follow)).value for each in drawn[name]]
                for follow in (False, True)
            ]
            without, following = (
                [abs(value - true) for value, true in zip(each, truth, strict=True)] for each in values
            )
            rows.append((name, plies, *judge(without, following)))
            repaired = [(bad, i) for i, bad in enumerate(without) if following[i] < WRONG <= bad]
            if name == "capture" and repaired and max(repaired)[0] > most:
                most, i = max(repaired)
                worst = example(drawn[name][i], plies, far, values[0][i], values[1][i], truth[i])
    return Report(
        "horizon",
        f"{positions} random positions of each game: quiescence follows noisy moves where a depth limit stops",
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
            f"Wrong: off by a point or more from a much deeper search with quiescence: "
            f"{REFERENCE_DEPTH['capture']} plies in capture and {REFERENCE_DEPTH['othello']} in Othello.",
            "Repaired: wrong without quiescence, right with it. Spoilt: the reverse.",
            *([worst] if worst else []),
        ),
    )


def random_rows(count: int, seed: int) -> list[Position]:
    """Return random starting positions for capture, each with the same number of pieces for both sides."""
    choices = random.Random(seed)
    found = list[Position]()
    while len(found) < count:
        row = ["-"] * CELLS
        for number, cell in enumerate(choices.sample(range(CELLS), PIECES)):
            row[cell] = "XO"[number % 2]
        position = get_game(f"capture {''.join(row)}").initial()
        found += [] if position.is_over() else [position]
    return found


def example(position: Position, plies: int, far: int, without: int, following: int, true: int) -> str:
    """Return a sentence about a capture position whose value quiescence corrects; the values are in hundredths."""
    row = get_game("capture").format_position(position).split()[0]
    return (
        f"For example, in 'capture {row}' depth {plies} gives {without / 100:+.2f} without quiescence and "
        f"{following / 100:+.2f} with it; depth {far} gives {true / 100:+.2f}."
    )


def judge(without: Sequence[int], following: Sequence[int]) -> tuple[Cell, ...]:
    """Return the table cells for one depth.

    :param without, following: each position's error without and with quiescence, in hundredths of a point.
    """
    pairs = [(bad >= WRONG, good >= WRONG) for bad, good in zip(without, following, strict=True)]
    wrong = [round(share(sum(each), len(pairs)), 2) for each in zip(*pairs, strict=True)]
    errors = [round(mean(each) / 100, 4) for each in (without, following)]
    return (*wrong, pairs.count((True, False)), pairs.count((False, True)), *errors)


command = experiment(
    "horizon",
    measure,
    number_option("--positions", 60, "Positions per game.", high=10_000),
    seed_option("Seed of the random positions."),
    number_option("--depth", 4, "Largest depth limit.", high=8),
)
