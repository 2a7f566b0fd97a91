"""Two ways to search, iteration by iteration: what one of them saves, and a count that explains it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from quietmove.engine.tools.lab.report import Cell, Column, Figure
from quietmove.engine.tools.lab.work import Iteration, saved, share, show_score

__all__ = ["Explained", "columns", "compare", "figure"]


@dataclass(frozen=True, slots=True)
class Explained:
    """What the second way does, and how often.

    :param tries, successes, rate: the names of three columns, the last one in percent.
    :param count: returns tries and successes of an iteration.
    """

    tries: str
    successes: str
    rate: str
    count: Callable[[Iteration], tuple[int, int]]


def columns(names: tuple[str, str], explained: Explained) -> tuple[Column, ...]:
    """Return the columns of the table.

    :param names: of the node counts of the first and the second way.
    """
    return (
        Column("depth", "d"),
        Column("value"),
        Column(names[0], ",d"),
        Column(names[1], ",d"),
        Column("saved %", ".1f"),
        Column(explained.tries, ",d"),
        Column(explained.successes, ",d"),
        Column(explained.rate, ".1f"),
    )


def compare(
    first: Sequence[Iteration], second: Sequence[Iteration], explained: Explained
) -> tuple[tuple[Cell, ...], ...]:
    """Return one row for each depth."""
    rows: list[tuple[Cell, ...]] = []
    for before, after in zip(first, second, strict=True):
        tries, successes = explained.count(after)
        rate = round(share(successes, tries), 2)
        nodes = (before.nodes, after.nodes, saved(after.nodes, before.nodes))
        rows.append((after.depth, show_score(after.value), *nodes, tries, successes, rate))
    return tuple(rows)


def figure(names: tuple[str, str]) -> Figure:
    """Return the diagram of both node counts."""
    return Figure("depth", names, "nodes of the iteration", "depth (plies)")
