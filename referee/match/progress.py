"""How far a run of games is, how fast it goes, and how long it will take."""

from __future__ import annotations

import time
from collections.abc import Callable

from quietmove.engine.protocol.describe import counted

PARTS = 10  # a plain log says after each tenth of the games how the run stands
LEAST_TOTAL = 20  # a log says so in runs of 20 games or more
UNKNOWN_PART = 100  # a log says so after each hundred games if the total is not known
SHARE_OF_TIME = 0.05  # the score that is shown is computed in at most this part of a run


class Progress:
    """Counts the games of a run.

    :ivar games: the number of games played, those of earlier runs included.
    :ivar total: the number of games that there will be; ``None`` as long as it is not known. It may change.
    """

    def __init__(self, games: int, total: int | None, now: Callable[[], float] = time.monotonic) -> None:
        self.games = self._before = games
        self.total = total
        self._now = now
        self._begun = now()

    def add(self) -> bool:
        """Count a game; tell whether a part of the run ended with it, after which a log says how it stands."""
        self.games += 1
        if self.total is None:
            return self.games % UNKNOWN_PART == 0
        parts = self.games * PARTS // self.total
        return self.total >= LEAST_TOTAL and self.games < self.total and parts > (self.games - 1) * PARTS // self.total

    @property
    def elapsed(self) -> float:
        """Seconds since the run began."""
        return self._now() - self._begun

    @property
    def games_per_second(self) -> float | None:
        """Games of this run a second; ``None`` before the first."""
        elapsed, played = self.elapsed, self.games - self._before
        return played / elapsed if played and elapsed > 0 else None

    def counted(self) -> str:
        """Return how many games are played, such as ``3 of 12 games``."""
        return games_text(self.games, self.total)

    def times(self) -> str:
        """Return the speed and the times, such as ``12.5 games/s, 0:42 elapsed, about 1:30 left``."""
        speed = self.games_per_second
        parts = [] if speed is None else [f"{speed:.3g} games/s" if speed >= 1 else f"{1 / speed:.3g} s/game"]
        parts.append(f"{clock(self.elapsed)} elapsed")
        if speed is not None and self.total is not None:
            parts.append(f"about {clock(max(0, self.total - self.games) / speed)} left")
        return ", ".join(parts)


def games_text(games: int, total: int | None) -> str:
    """Return how far a run is, such as ``3 of 12 games``; ``total`` is ``None`` where that is not known."""
    return counted(games, "game") if total is None else f"{games} of {total} games"


def clock(seconds: float) -> str:
    """Return a duration as people read it: ``0:42`` or ``1:02:03``."""
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"
