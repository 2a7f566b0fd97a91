"""When the games of a tournament ended, and what time their engines took: for the speed of a run and for reports. Pure.

This stands in no column of a store: it is in the records, which are long. Each is read once.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import pairwise

from quietmove.referee.config.config import COLORS
from quietmove.tournament.store.stored_values import LARGEST, UNREADABLE, DamageError

__all__ = ["TIMING_COLUMNS", "Timing", "Used", "pace", "read_timing", "time_of"]

TIMING_COLUMNS = "number, finished_at, record"
RECENT = 200  # games that the speed of a run is measured by
PAUSE = 20  # times the upper quartile of the distances of two games: the run stood still then
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

    :param finished: seconds since 1970 at which it was stored; ``None`` where the store says no time.
    :param black, white: what the two engines used.
    """

    number: int
    finished: float | None
    black: Used
    white: Used


def read_timing(row: Sequence[object]) -> Timing:
    """Return the times of a game, from the columns :data:`TIMING_COLUMNS`.

    :raises DamageError: naming the game.
    """
    number, finished, record = row
    try:
        moves = json.loads(str(record))["moves"]
        black, white = (_used([move for move in moves if move["by"] == color]) for color in COLORS)
    except UNREADABLE as error:
        raise DamageError(f"game {number}: times: {type(error).__name__}") from None
    return Timing(int(str(number)), _seconds(time_of(finished)), black, white)


def time_of(text: object) -> datetime | None:
    """Return the time that a store gives for something; None if it is none."""
    try:
        time = datetime.fromisoformat(text) if isinstance(text, str) else None
    except ValueError:
        return None
    return time if time and time.tzinfo else None


def _seconds(time: datetime | None) -> float | None:
    """Return the seconds since 1970; None of a time that is in no year of the calendar in UTC."""
    try:
        return None if time is None else time.astimezone(UTC).timestamp()
    except OverflowError:
        return None


def pace(timings: Sequence[Timing]) -> float | None:
    """Return how many games a second end, by the last ones and without the pauses; ``None`` of fewer than three."""
    ends = sorted(timing.finished for timing in timings if timing.finished is not None)[-RECENT:]
    between = sorted(later - earlier for earlier, later in pairwise(ends))
    if len(between) < 2:
        return None
    longest = PAUSE * between[len(between) * 3 // 4]
    counted = [distance for distance in between if distance <= longest]
    seconds = sum(counted)
    return len(counted) / seconds if seconds > 0 else None


def _used(moves: Sequence[dict[str, object]]) -> Used:
    elapsed = [_number(move["elapsed_ms"]) / SECOND for move in moves]
    nodes = sum(_number(move.get("nodes")) for move in moves)
    return Used(len(moves), sum(elapsed), max(elapsed, default=0.0), int(nodes))


def _number(value: object) -> float:
    """Return a number of a record, 0 where none was given."""
    if value is None:
        return 0
    if isinstance(value, bool) or not isinstance(value, int | float) or not abs(value) <= LARGEST:
        raise ValueError
    return value
