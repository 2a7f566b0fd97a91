"""Nim and the subtraction game by theory and by search: Sprague-Grundy values, brute force, and the engine."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from math import prod

import click

from quietmove.common.command_line import number_option
from quietmove.engine.games.base import DECISIVE
from quietmove.engine.games.nim import MAX_PILES, MAX_TAKE, NimPosition
from quietmove.engine.games.subtraction import PERIOD_WITHIN, describe_values, read_takes
from quietmove.engine.search.grundy import heap_values, tree_value, xor_sum
from quietmove.engine.search.node import MAX_DEPTH
from quietmove.engine.tools.lab.experiment import experiment
from quietmove.engine.tools.lab.report import Cell, Figure, Report, columns
from quietmove.engine.tools.lab.searches import search_once
from quietmove.engine.values import Settings

__all__ = ["measure_nim", "measure_subtraction", "nim", "subtraction"]

PILES = ("1", "1,1", "1,2", "1,2,3", "1,3,5", "2,4,6", "3,4,5", "1,4,4", "2,2,4", "10,20,30", "25,26,27,28,29,30")
MOST_PLAYED = 30_000  # a tree of more positions is not played through
MOST_SEARCHED = 1000  # a tree of more positions is not searched


def measure_nim(piles: Sequence[str] = ()) -> Report:
    """XOR = Grundy = brute force = search, and the moves that win."""
    return Report(
        "nim",
        "Nim: who takes the last stone wins; the side to move loses exactly where the XOR of the piles is 0",
        columns(
            "piles; XOR:d; Grundy of each pile; Grundy:d; by the tree:d; brute force; search; nodes:,d; winning moves"
        ),
        [solve(each) for each in [read_piles(text) for text in piles or PILES]],
        (Figure("piles", ("XOR", "Grundy", "by the tree"), "value", style="bars", log=False),),
        (
            "A pile's Grundy value is the least that no smaller pile has; a position's is the XOR of its piles'.",
            "Neither needs a tree. By the tree: the Grundy value from playing every move.",
            f"More than {MOST_PLAYED:,} positions are not played, more than {MOST_SEARCHED:,} not searched.",
        ),
    )


def solve(piles: tuple[int, ...]) -> tuple[Cell, ...]:
    """Return the row of one position of Nim."""
    values = heap_values(max(piles), range)
    grundy = [values[pile] for pile in piles]
    moves = " ".join(winning_moves(piles, values))
    return (spell(piles), xor_sum(piles), spell(grundy), xor_sum(grundy), *by_search(piles), moves)


def by_search(piles: tuple[int, ...]) -> tuple[Cell, ...]:
    """Return the value by the tree, the outcomes by brute force and by search, and nodes, or words where too many."""
    count = prod(pile + 1 for pile in piles)
    if count > MOST_PLAYED:
        return None, f"too many: {count:,}", "too many", None
    position = NimPosition(piles, 0)
    played = tree_value(position, by_size), outcome(wins(position, {}))
    if count > MOST_SEARCHED:
        return *played, "too many", None
    found = search_once(position.copy(), MAX_DEPTH, Settings(), 1)
    return *played, outcome(found.value > DECISIVE), found.nodes


def by_size(position: NimPosition) -> tuple[int, ...]:
    """Return the piles by size: their order does not matter."""
    return tuple(sorted(position.heaps()))


def winning_moves(piles: tuple[int, ...], values: Sequence[int]) -> Iterator[str]:
    """Yield the moves to a position of value 0, ``2-5`` for five stones of the second pile.

    :param values: of the piles 0, 1 … the largest.
    """
    total = xor_sum(values[pile] for pile in piles)
    for number, pile in enumerate(piles, 1):
        for rest in range(pile):
            if values[rest] ^ values[pile] == total:
                yield f"{number}-{pile - rest}"


def spell(piles: Sequence[int]) -> str:
    """Return numbers as ``3,4,5``."""
    return ",".join(map(str, piles))


def outcome(won: bool) -> str:
    """Return the word for the outcome of the side to move."""
    return "win" if won else "loss"


def wins(position: NimPosition, known: dict[tuple[int, ...], bool]) -> bool:
    """Tell by playing every game whether the side to move wins: some move leads to a position that loses."""
    if (piles := by_size(position)) not in known:
        won = False
        for move in position.legal_moves():
            position.play(move)
            won = not wins(position, known) or won
            position.undo()
        known[piles] = won
    return known[piles]


def read_piles(text: str) -> tuple[int, ...]:
    if not re.fullmatch(rf"[0-9]{{1,2}}(,[0-9]{{1,2}}){{0,{MAX_PILES - 1}}}", text) or not text.strip("0,"):
        raise click.UsageError(
            f"--piles: must be 1 to {MAX_PILES} numbers of stones, 0 to 99 and not all 0, such as 3,4,5, not {text!r}"
        )
    return tuple(map(int, text.split(",")))


def measure_subtraction(heap: int = 20, takes: str = "3") -> Report:
    """Wins, Grundy values and their period, heap by heap."""
    allowed = read_takes(takes)
    if allowed is None:
        raise click.UsageError(
            f"--takes: must be the most that a move takes, 1 to {MAX_TAKE}, or all that it may take, such as 1,3,4, "
            f"not {takes!r}"
        )
    values = heap_values(PERIOD_WITHIN, lambda size: (size - take for take in allowed if take <= size))
    won: list[bool] = []
    rows: list[tuple[Cell, ...]] = []
    for size in range(heap + 1):
        possible = [take for take in allowed if take <= size]
        won.append(any(not won[size - take] for take in possible))
        winning = " ".join(str(take) for take in possible if values[size - take] == 0)
        rows.append((size, values[size], outcome(won[size]), winning))
    return Report(
        "subtraction",
        f"A heap, of which a move takes {takes if ',' in takes else f'1 to {takes}'}; who cannot move loses",
        columns("heap:d; Grundy:d; brute force; winning moves"),
        rows,
        (Figure("heap", ("Grundy",), "Grundy value", "heap (stones)", style="points", log=False),),
        (
            "A heap's Grundy value is the least that no move leads to; it loses exactly where that is 0.",
            *(f"{line[0].upper()}{line[1:]}." for line in describe_values(bytes(values), allowed)),
        ),
    )


nim = experiment(
    "nim", measure_nim, click.option("--piles", multiple=True, metavar="A,B,...", help="May be given more than once.")
)

subtraction = experiment(
    "subtraction",
    measure_subtraction,
    number_option("--heap", 20, "The largest heap.", 0, 1000),
    click.option("--takes", default="3", show_default=True, metavar="K|A,B,...", help="What a move takes."),
)
