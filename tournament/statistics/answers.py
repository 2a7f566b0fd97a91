"""What a match between two engines shows, in a sentence that a beginner understands. Pure."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import NormalDist

from quietmove.referee.match.score import CONFIDENCE, Estimate, estimate

__all__ = ["Answer", "games_to_show"]

SMALL_DIFFERENCE = 15.0  # Elo, worth to be shown where no difference was
POWER = 0.8  # how likely it is then shown, if it is there
DIGITS = 2  # of a number of games that is only about right


@dataclass(frozen=True, slots=True)
class Answer:
    """Which of two engines is better, as far as their games show.

    :param games: that count, the two of each pair.
    :param found: from the view of ``first``.
    """

    first: str
    second: str
    games: int
    found: Estimate

    @classmethod
    def of(cls, first: str, second: str, pentanomial: Sequence[int]) -> Answer | None:
        """Return what complete pairs of games show; ``None`` before the first.

        :param pentanomial: how many of them brought ``first`` 0, ½, 1, 1½ and 2 points.
        """
        found = estimate(pentanomial)
        return None if found is None else cls(first, second, 2 * sum(pentanomial), found)

    @property
    def is_clear(self) -> bool:
        """Whether the interval leaves out that both are equally strong."""
        return self.found.elo_low > 0 or self.found.elo_high < 0

    @property
    def better(self) -> str | None:
        """The engine that is better, if that is clear."""
        if not self.is_clear:
            return None
        return self.first if self.found.elo > 0 else self.second

    def sentence(self) -> str:
        """Return the answer."""
        found, games = self.found, f"{self.games:,} games"
        low, high = found.elo_low, found.elo_high
        if not self.is_clear:
            more = games_to_show(SMALL_DIFFERENCE, low, high, self.games)
            text = f"{self.first} and {self.second}: no difference shown, {_elo(found.elo, low, high)}, {games}"
            return text + (
                f"; about {more:,} games would be needed to show {SMALL_DIFFERENCE:g} Elo"
                if more is not None and more > self.games
                else ""
            )
        worse = self.second if self.better == self.first else self.first
        if found.elo < 0:
            low, high = -high, -low
        return f"{self.better} is better than {worse}: {_elo(abs(found.elo), low, high)}, {games}"


def games_to_show(elo: float, low: float, high: float, games: int) -> int | None:
    """Return how many games show a difference of ``elo``, if it is there, with a likelihood of :data:`POWER`.

    The width of an interval falls with the root of the number of games; ``None`` if it is infinite.

    :param low, high: the interval after ``games``.
    """
    if not (math.isfinite(low) and math.isfinite(high)):
        return None
    normal = NormalDist()
    sure = normal.inv_cdf((1 + CONFIDENCE) / 2)
    needed = games * ((high - low) / 2 * (1 + normal.inv_cdf(POWER) / sure) / elo) ** 2
    unit = 10.0 ** max(0, math.floor(math.log10(max(1.0, needed))) - DIGITS + 1)
    return max(2, round(needed / unit) * int(unit))


def _elo(elo: float, low: float, high: float) -> str:
    return f"{_signed(elo)} Elo ({CONFIDENCE:.0%}: {_signed(low)} to {_signed(high)})"


def _signed(value: float) -> str:
    if not math.isfinite(value):
        return "+infinite" if value > 0 else "-infinite"
    return f"{value:+.0f}" if round(value) else "0"
