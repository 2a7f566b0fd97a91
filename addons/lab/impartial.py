"""Nim and the subtraction game, in theory and by search: Sprague-Grundy values, brute force and the engine."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import reduce
from math import prod
from operator import xor

import click

from quietmove.addons.games.nim import MAX_PILES, MAX_TAKE, Nim, NimPosition, spell
from quietmove.addons.games.subtraction import PERIOD_WITHIN, Subtraction, describe_values, read_takes, solved
from quietmove.addons.lab.experiment import experiment
from quietmove.addons.lab.searches import search_once
from quietmove.addons.shared.report import Cell, Figure, Report, columns
from quietmove.engine.common.command_line import number_option
from quietmove.engine.games.base import DECISIVE
from quietmove.engine.search.node import MAX_DEPTH
from quietmove.engine.values import Settings

PILES = ("1", "1,1", "1,2", "1,2,3", "1,3,5", "2,4,6", "3,4,5", "1,4,4", "2,2,4", "10,20,30", "25,26,27,28,29,30")
MOST_PLAYED = 30_000  # maximum number of positions for brute force
MOST_COUNTED = 1000  # stones of a pile whose Grundy value is counted out, in the square of this time
MOST_SEARCHED = 1000  # maximum number of positions for search


def measure_nim(piles: Sequence[str] = ()) -> Report:
    """XOR rule, Grundy values, brute force and search compared; winning moves.

    Each argument is a position, given by its pile sizes, such as 3,4,5. The default is a selection of positions.
    """
    return Report(
        "nim",
        "Nim: the player who takes the last stone wins; the side to move loses exactly if the XOR of the piles is 0",
        columns(
            "piles; XOR:d; Grundy of each pile; Grundy:d; by the tree:d; brute force; search; nodes:,d; winning moves"
        ),
        [solve(each) for each in [read_piles(text) for text in piles or PILES]],
        (Figure("piles", ("XOR", "Grundy", "by the tree"), "value", style="bars", log=False),),
        (
            "A pile's Grundy value is the smallest number that no smaller pile has. A position's Grundy value is the"
            " XOR of its piles' values.",
            "Neither needs a tree. By the tree: the Grundy value found by playing every move.",
            f"Limits: {MOST_PLAYED:,} positions for brute force, {MOST_SEARCHED:,} for search.",
        ),
    )


def solve(piles: tuple[int, ...]) -> tuple[Cell, ...]:
    """Return the table row for one position of Nim. A pile too large to be counted out has its size as Grundy value."""
    values = list[int]()
    for _ in range(min(max(piles), MOST_COUNTED) + 1):
        values.append(mex(values))
    grundy = [values[pile] if pile < len(values) else pile for pile in piles]
    total = reduce(xor, piles)
    takes = [(pile - (pile ^ total), index) for index, pile in enumerate(piles, 1) if pile ^ total < pile]
    moves = " ".join(f"{index}-{take}" for take, index in sorted(takes, key=lambda each: (-each[0], each[1])))
    return (spell(piles), total, spell(grundy), reduce(xor, grundy), *by_search(piles), moves)


def by_search(piles: tuple[int, ...]) -> tuple[Cell, ...]:
    """Return the Grundy value from the tree, the outcomes by brute force and search, and the search's node count."""
    count = prod(pile + 1 for pile in piles)
    if count > MOST_PLAYED or len(piles) > MAX_PILES:
        return None, f"too many: {count:,}", "too many", None
    position = Nim(piles).initial()
    grundy, won = played_out(position, {})
    if count > MOST_SEARCHED:
        return grundy, outcome(won), "too many", None
    found = search_once(position, MAX_DEPTH, Settings(), 1)
    return grundy, outcome(won), outcome(found.value > DECISIVE), found.nodes


def played_out(position: NimPosition, known: dict[tuple[int, ...], tuple[int, bool]]) -> tuple[int, bool]:
    """Return the Grundy value and whether the side to move wins, by playing every move.

    The side to move wins if some move leads to a position that loses.

    :param known: cached results by sorted piles, since the order of the piles does not matter.
    """
    piles = tuple(sorted(position.heaps()))
    if piles not in known:
        found = []
        for move in position.legal_moves():
            position.play(move)
            found.append(played_out(position, known))
            position.undo()
        known[piles] = mex(value for value, _ in found), not all(wins for _, wins in found)
    return known[piles]


def mex(values: Iterable[int]) -> int:
    """Return the smallest non-negative integer not in ``values`` (the minimal excludant)."""
    found = set(values)
    return next(number for number in range(len(found) + 1) if number not in found)


def outcome(won: bool) -> str:
    """Return the outcome for the side to move as a word."""
    return "win" if won else "loss"


def read_piles(text: str) -> tuple[int, ...]:
    if not re.fullmatch(r"[0-9]{1,9}(,[0-9]{1,9})*", text, re.ASCII) or not text.strip("0,"):
        raise click.UsageError(
            f"piles: must be numbers of stones with at most 9 digits, not all 0, such as 3,4,5, not {text!r}"
        )
    return tuple(map(int, text.split(",")))


def measure_subtraction(heap: int = 20, takes: str = "3") -> Report:
    """Wins and Grundy values of each heap, and their period."""
    allowed = read_takes(takes)
    if allowed is None:
        raise click.UsageError(
            f"--takes: expected the maximum per move, 1 to {MAX_TAKE}, or a list of allowed takes such as 1,3,4, "
            f"not {takes!r}"
        )
    values = solved(PERIOD_WITHIN, Subtraction(heap, allowed).mask).grundy
    won: list[bool] = []
    rows: list[tuple[Cell, ...]] = []
    for size in range(heap + 1):
        possible = [take for take in allowed if take <= size]
        won.append(any(not won[size - take] for take in possible))
        winning = " ".join(str(take) for take in possible if values[size - take] == 0)
        rows.append((size, values[size], outcome(won[size]), winning))
    return Report(
        "subtraction",
        f"A heap; each move takes {takes if ',' in takes else f'1 to {takes}'}, and the player who cannot move loses",
        columns("heap:d; Grundy:d; brute force; winning moves"),
        rows,
        (Figure("heap", ("Grundy",), "Grundy value", "heap (stones)", style="points", log=False),),
        (
            "A heap's Grundy value is the smallest number that no move leads to; the heap loses exactly if it is 0.",
            *(f"{line[0].upper()}{line[1:]}." for line in describe_values(values, allowed)),
        ),
    )


nim = experiment("nim", measure_nim, click.argument("piles", nargs=-1, metavar="[A,B,...]..."))

subtraction = experiment(
    "subtraction",
    measure_subtraction,
    number_option("--heap", 20, "Largest heap.", 0, 1000),
    click.option(
        "--takes",
        default="3",
        show_default=True,
        metavar="K|A,B,...",
        help="Stones a move can take: 1 to K, or one of the listed numbers.",
    ),
)
