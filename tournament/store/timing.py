"""When the games of a tournament ended, and what time their engines took: for the speed of a run and for reports. Pure.

This stands in no column of a store: it is in the records, which are long. Each is read once.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import pairwise
from typing import Any

from quietmove.referee.config.model import COLORS

__all__ = ["TIMING_COLUMNS", "Timing", "Used", "pace", "read_timing"]

TIMING_COLUMNS = "number, finished_at, record"
RECENT = 200  # the speed of a run is measured by its last 200 games
PAUSE = 20  # the run stood still in a gap between two games of 20 times the upper quartile of all gaps
SECOND = 1000  # milliseconds


@dataclass(frozen=True, slots=True)
class Used:
    """What one engine used in one game, or in many.

    :param moves: that it made, without those of the opening.
    :param seconds: for all of them, as the referee measured it.
    :param longest: seconds for one of them.
    :param nodes: that it said it searched; 0 where it says nothing.
    """

    moves: int = 0
    seconds: float = 0.0
    longest: float = 0.0
    nodes: int = 0

    def __add__(self, other: Used) -> Used:
        return Used(
            self.moves + other.moves,
            self.seconds + other.seconds,
            max(self.longest, other.longest),
            self.nodes + other.nodes,
        )


@dataclass(frozen=True, slots=True)
class Timing:
    """The times of one game.

    :param finished: seconds since 1970 at which it was stored.
    :param black, white: what the two engines used.
    """

    number: int
    finished: float
    black: Used
    white: Used


def read_timing(row: Sequence[Any]) -> Timing:
    """Return the times of a game, from the columns :data:`TIMING_COLUMNS`.

    :raises ValueError, LookupError, TypeError: if they are none.
    """
    number, finished, record = row
    moves = json.loads(record)["moves"]
    black, white = (_used([move for move in moves if move["by"] == color]) for color in COLORS)
    return Timing(number, datetime.fromisoformat(finished).timestamp(), black, white)


def pace(timings: Sequence[Timing]) -> float | None:
    """Return how many games a second end, by the last ones and without the pauses; ``None`` of fewer than three."""
    ends = sorted(timing.finished for timing in timings)[-RECENT:]
    between = sorted(later - earlier for earlier, later in pairwise(ends))
    if len(between) < 2:
        return None
    longest = PAUSE * between[len(between) * 3 // 4]
    counted = [distance for distance in between if distance <= longest]
    seconds = sum(counted)
    return len(counted) / seconds if seconds > 0 else None


def _used(moves: Sequence[dict[str, Any]]) -> Used:
    seconds = [move["elapsed_ms"] / SECOND for move in moves]
    nodes = sum(move.get("nodes") or 0 for move in moves)
    return Used(len(moves), sum(seconds), max(seconds, default=0.0), nodes)
