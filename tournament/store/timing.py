"""The end times of a tournament's games and the time used by its engines, for progress and reports. Pure functions.

The store keeps these values in separate columns, so that no records need to be read.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from itertools import pairwise
from typing import Any

from quietmove.referee.config.model import COLORS
from quietmove.referee.game.record import GameRecord

USED_NAMES = ("moves", "ms", "longest_ms", "nodes")
USED_COLUMNS = tuple(f"{name}_{color}" for color in COLORS for name in USED_NAMES)  # integer columns of a game
RECENT = 200  # number of latest games used to measure the speed of a run
PAUSE_FACTOR = 20  # a gap of 20 times the upper quartile of all gaps counts as a pause of the run
SECOND = 1000  # in milliseconds
TIME_COLUMNS = ("number", "finished_at", *COLORS, *USED_COLUMNS)


@dataclass(frozen=True, slots=True)
class Used:
    """The resources one engine used in all its games.

    :param moves: the number of its moves, without the openings.
    :param seconds: the total time for these moves, as measured by the referee.
    :param longest: the longest time for one move, in seconds.
    :param nodes: the number of nodes it reports having searched; 0 if it reports none.
    """

    moves: int = 0
    seconds: float = 0.0
    longest: float = 0.0
    nodes: int = 0


@dataclass(frozen=True, slots=True)
class Times:
    """The times of a tournament's finished games.

    :param used: each engine's usage, by name; engines that have not played are missing.
    :param ends: the end times of the last :data:`RECENT` games, in seconds since 1970, latest first.
    :param first: the end time of the first game.
    """

    used: Mapping[str, Used] = field(default_factory=dict)
    ends: Sequence[float] = ()
    first: float | None = None


NO_TIMES = Times()


def used_row(record: GameRecord) -> tuple[int, ...]:
    """Return the engines' usage in one game, as the columns :data:`USED_COLUMNS`."""
    row: list[int] = []
    for color in COLORS:
        moves = [move for move in record.moves if move.by == color]
        times = [move.elapsed_ms for move in moves]
        row += (len(moves), sum(times), max(times, default=0), sum(move.nodes or 0 for move in moves))
    return tuple(row)


def times_of(rows: Iterable[Sequence[Any]]) -> Times:
    """Return the times of games from rows of the columns :data:`TIME_COLUMNS`."""
    count = len(USED_NAMES)
    ends = []
    sums: defaultdict[str, list[int]] = defaultdict(lambda: [0] * count)
    for number, finished_at, black, white, *columns in rows:
        ends.append(read_end((number, finished_at))[1])
        for name, (moves, milliseconds, longest, nodes) in ((black, columns[:count]), (white, columns[count:])):
            used = sums[name]
            used[:] = used[0] + moves, used[1] + milliseconds, max(used[2], longest), used[3] + nodes
    ends.sort(reverse=True)
    used_by = {
        name: Used(moves, milliseconds / SECOND, longest / SECOND, nodes)
        for name, (moves, milliseconds, longest, nodes) in sums.items()
    }
    return Times(used_by, ends[:RECENT], ends[-1] if ends else None)


def read_end(row: Sequence[Any]) -> tuple[int, float]:
    """Return a game's number and end time, from the columns ``number, finished_at``.

    :raises ValueError: if the time is invalid.
    """
    return row[0], datetime.fromisoformat(row[1]).timestamp()


def pace(ends: Sequence[float]) -> float | None:
    """Return how many games end per second, leaving out pauses, or None if too few end times differ."""
    between = sorted(later - earlier for earlier, later in pairwise(sorted(ends)))
    if len(between) < 2:
        return None
    longest = PAUSE_FACTOR * between[len(between) * 3 // 4]
    counted = [distance for distance in between if distance <= longest]
    seconds = sum(counted)
    return len(counted) / seconds if seconds > 0 else None
