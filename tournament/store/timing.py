"""When the games of a tournament ended, and what time their engines took: for the speed of a run and for reports. Pure.

A store has it in columns of its own, so that no record is read for it.
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
USED_COLUMNS = tuple(f"{name}_{color}" for color in COLORS for name in USED_NAMES)  # integers, of one game
RECENT = 200  # the speed of a run is measured by its last 200 games
PAUSE_FACTOR = 20  # a gap between two games of 20 times the upper quartile of all gaps is a pause of the run
SECOND = 1000  # milliseconds
TIME_COLUMNS = ("number", "finished_at", *COLORS, *USED_COLUMNS)


@dataclass(frozen=True, slots=True)
class Used:
    """What one engine used in all its games.

    :param moves: the number of its moves, without those of the openings.
    :param seconds: the time for all of them, as the referee measured it.
    :param longest: the longest time for one of them, in seconds.
    :param nodes: the number of nodes that it claims to have searched; 0 if it claims none.
    """

    moves: int = 0
    seconds: float = 0.0
    longest: float = 0.0
    nodes: int = 0


@dataclass(frozen=True, slots=True)
class Times:
    """The times of all games that have ended.

    :param used: what each engine used, by its name; one that has not played is missing.
    :param ends: the times at which the last :data:`RECENT` games ended, in seconds since 1970, the latest first.
    :param first: the time at which the first game ended.
    """

    used: Mapping[str, Used] = field(default_factory=dict)
    ends: Sequence[float] = ()
    first: float | None = None


NO_TIMES = Times()


def used_row(record: GameRecord) -> tuple[int, ...]:
    """Return what the engines used in one game, as the columns :data:`USED_COLUMNS`."""
    row: list[int] = []
    for color in COLORS:
        moves = [move for move in record.moves if move.by == color]
        times = [move.elapsed_ms for move in moves]
        row += (len(moves), sum(times), max(times, default=0), sum(move.nodes or 0 for move in moves))
    return tuple(row)


def times_of(rows: Iterable[Sequence[Any]]) -> Times:
    """Return the times of the games whose columns :data:`TIME_COLUMNS` are ``rows``."""
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
    """Return the number of a game and when it ended, from the columns ``number, finished_at``.

    :raises ValueError: if they are none.
    """
    return row[0], datetime.fromisoformat(row[1]).timestamp()


def pace(ends: Sequence[float]) -> float | None:
    """Return how many games a second end, by the last ones and without the pauses; ``None`` of fewer than three."""
    between = sorted(later - earlier for earlier, later in pairwise(sorted(ends)))
    if len(between) < 2:
        return None
    longest = PAUSE_FACTOR * between[len(between) * 3 // 4]
    counted = [distance for distance in between if distance <= longest]
    seconds = sum(counted)
    return len(counted) / seconds if seconds > 0 else None
