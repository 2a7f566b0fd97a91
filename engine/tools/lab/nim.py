"""Nim by theory and by search: the XOR of the piles, Sprague-Grundy values, brute force, and the engine."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from math import prod

import click

from quietmove.engine.games.base import DECISIVE
from quietmove.engine.games.nim import MAX_PILES, NimPosition
from quietmove.engine.search.grundy import heap_values, tree_value, xor_sum
from quietmove.engine.search.node import MAX_DEPTH
from quietmove.engine.tools.lab.experiment import experiment
from quietmove.engine.tools.lab.report import Cell, Figure, Report, columns
from quietmove.engine.tools.lab.work import search_once
from quietmove.engine.values import Settings

__all__ = ["command", "measure"]

PILES = ("1", "1,1", "1,2", "1,2,3", "1,3,5", "2,4,6", "3,4,5", "1,4,4", "2,2,4", "10,20,30", "25,26,27,28,29,30")
MOST_POSITIONS = 30_000  # of a tree that is played
MOST_SEARCHED = 1000  # of one that is searched too


def measure(piles: Sequence[str] = ()) -> Report:
    """XOR = Grundy = brute force = search, and the moves that win."""
    rows = tuple(solve(each) for each in [read_piles(text) for text in piles or PILES])
    return Report(
        "nim",
        "Nim: who takes the last stone wins; the side to move loses exactly where the XOR of the piles is 0",
        columns(
            "piles; XOR:d; Grundy of each pile; Grundy:d; by the tree:d; brute force; search; nodes:,d; winning moves"
        ),
        rows,
        (Figure("piles", ("XOR", "Grundy", "by the tree"), "value", style="bars", log=False),),
        (
            "A pile's Grundy value is the least that no smaller pile has; a position's is the XOR of its piles'.",
            "Neither needs a tree. By the tree: the Grundy value from playing every move.",
            f"More than {MOST_POSITIONS:,} positions are not played, more than {MOST_SEARCHED:,} not searched.",
        ),
    )


def solve(piles: tuple[int, ...]) -> tuple[Cell, ...]:
    """Return the row of one position."""
    values = heap_values(max(piles), range)
    grundy = [values[pile] for pile in piles]
    return (
        spell(piles),
        xor_sum(piles),
        spell(grundy),
        xor_sum(grundy),
        *by_search(piles),
        " ".join(winning_moves(piles, values)),
    )


def by_search(piles: tuple[int, ...]) -> tuple[Cell, ...]:
    """Return the value by the tree, the outcomes by brute force and by search, and nodes, or words where too many."""
    count = prod(pile + 1 for pile in piles)
    if count > MOST_POSITIONS:
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


def winning_moves(piles: tuple[int, ...], values: Sequence[int]) -> Iterable[str]:
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
    if (here := by_size(position)) not in known:
        won = False
        for move in position.legal_moves():
            position.play(move)
            won = not wins(position, known) or won
            position.undo()
        known[here] = won
    return known[here]


def read_piles(text: str) -> tuple[int, ...]:
    """Return the piles that ``text`` writes.

    :raises click.UsageError: if it writes none.
    """
    if not re.fullmatch(rf"[0-9]{{1,2}}(,[0-9]{{1,2}}){{0,{MAX_PILES - 1}}}", text) or not text.strip("0,"):
        raise click.UsageError(
            f"--piles: must be 1 to {MAX_PILES} numbers of stones, 0 to 99 and not all 0, such as 3,4,5, not {text!r}"
        )
    return tuple(map(int, text.split(",")))


command = experiment(
    "nim",
    measure,
    click.option("--piles", multiple=True, metavar="A,B,...", help="May be given more than once."),
)
