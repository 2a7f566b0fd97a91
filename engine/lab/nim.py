"""Nim solved four ways: the XOR of the piles, Sprague-Grundy values, brute force, and the engine's search."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import combinations_with_replacement

import click

from quietmove.engine.games.base import DECISIVE, Position, get_game
from quietmove.engine.games.nim import NimPosition
from quietmove.engine.lab.command import experiment
from quietmove.engine.lab.report import Cell, Column, Figure, Report
from quietmove.engine.lab.work import search_once
from quietmove.engine.search.grundy import tree_value, winning_moves, xor_sum
from quietmove.engine.search.node import MAX_DEPTH
from quietmove.engine.values import Settings

__all__ = ["command", "measure"]

PILES = ("1", "1,1", "1,2", "1,2,3", "1,3,5", "2,4,6", "3,4,5", "1,4,4", "2,2,4")
LARGEST = 4  # of the piles that are checked one and all


def measure(piles: Sequence[str] = ()) -> Report:
    """XOR = Grundy = brute force = search, and the move that wins."""
    rows = tuple(solve(read_piles(each)) for each in piles or PILES)
    checked = list(small_positions())
    agreeing = sum(agree(each) for each in checked)
    return Report(
        "nim",
        "Nim: who takes the last stone wins; the side to move loses exactly where the XOR of the piles is 0",
        (
            Column("piles"),
            Column("XOR", "d"),
            Column("Grundy", "d"),
            Column("brute force"),
            Column("search"),
            Column("nodes", ",d"),
            Column("winning moves"),
        ),
        rows,
        Figure("piles", ("XOR", "Grundy"), "value", log=False),
        (
            f"All ways agree on {agreeing} of the {len(checked)} positions of one to three piles of 1 to {LARGEST}.",
            "The XOR needs no tree at all; the search does not know the theorem and counts its nodes.",
        ),
        {"largest": LARGEST},
    )


def solve(piles: tuple[int, ...]) -> tuple[Cell, ...]:
    """Return the row of one position."""
    game, position = get_game(f"nim {','.join(map(str, piles))}"), NimPosition(piles, 0)
    found = search_once(position.copy(), MAX_DEPTH, Settings(), 1)
    return (
        ",".join(map(str, piles)),
        xor_sum(piles),
        tree_value(position),
        verdict(wins(position, {})),
        verdict(found.value > DECISIVE),
        found.nodes,
        " ".join(game.format_move(move) for move in winning_moves(position)),
    )


def verdict(won: bool) -> str:
    """Return the word for the outcome of the side to move."""
    return "win" if won else "loss"


def wins(position: Position, known: dict[int, bool]) -> bool:
    """Tell by playing every game whether the side to move wins: some move leads to a position that loses."""
    if position.key not in known:
        won = False
        for move in position.legal_moves():
            position.play(move)
            won = not wins(position, known) or won
            position.undo()
        known[position.key] = won
    return known[position.key]


def small_positions() -> Iterable[tuple[int, ...]]:
    """Yield the piles, smallest first."""
    for count in (1, 2, 3):
        yield from combinations_with_replacement(range(1, LARGEST + 1), count)


def agree(piles: tuple[int, ...]) -> bool:
    """Tell whether all four ways give the same."""
    _, xor, grundy, brute, searched, _, _ = solve(piles)
    return xor == grundy and brute == searched == verdict(bool(xor))


def read_piles(text: str) -> tuple[int, ...]:
    """Return the piles that ``text`` writes, parted by commas.

    :raises click.UsageError: if it writes none.
    :raises UnknownGameError: if there may not be such piles.
    """
    words = text.split(",")
    if not all(re.fullmatch("[0-9]{1,2}", word) for word in words):
        raise click.UsageError(f"--piles: numbers such as 3,4,5 are allowed; {text!r} came")
    get_game(f"nim {text}")
    return tuple(map(int, words))


command = experiment(
    "nim",
    measure,
    click.option("--piles", multiple=True, metavar="A,B,...", help="May be given more than once."),
)
