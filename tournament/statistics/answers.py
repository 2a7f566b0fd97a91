"""What a match between two engines shows, in a sentence that a beginner understands. Pure."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import NormalDist

from quietmove.referee.match.score import DEVIATIONS, Estimate, estimate

SMALL_DIFFERENCE = 15.0  # the difference in Elo for which the games that would show it are told
POWER = 0.8  # the likelihood that so many games show a difference that is there
DIGITS = 2  # a number of games that is only about right has two digits that are not 0


@dataclass(frozen=True, slots=True)
class Comparison:
    """Which of two engines is better, as far as their games show.

    :param pentanomial: how many pairs of games brought ``first`` 0, ½, 1, 1½ and 2 points.
    :param found: what they show, from the view of ``first``.
    """

    first: str
    second: str
    pentanomial: tuple[int, ...]
    found: Estimate

    @classmethod
    def of(cls, first: str, second: str, pentanomial: Sequence[int]) -> Comparison | None:
        """Return what complete pairs of games show; ``None`` before the first."""
        found = estimate(pentanomial)
        return None if found is None else cls(first, second, tuple(pentanomial), found)

    @property
    def better(self) -> str | None:
        """The engine that is better, if the interval leaves out that both are equally strong."""
        if self.found.elo_low > 0:
            return self.first
        return self.second if self.found.elo_high < 0 else None

    def sentence(self) -> str:
        """Return the answer."""
        if self.better == self.second and (other := self.of(self.second, self.first, self.pentanomial[::-1])):
            return other.sentence()
        games = 2 * sum(self.pentanomial)
        if self.better:
            return f"{self.first} is better than {self.second}: {self.found}, {games:,} games"
        more = games_to_show(SMALL_DIFFERENCE, self.found.elo_low, self.found.elo_high, games)
        text = f"{self.first} and {self.second}: no difference shown, {self.found}, {games:,} games"
        if more is None or more <= games:
            return text
        return f"{text}; about {more:,} games would be needed to show {SMALL_DIFFERENCE:g} Elo"


def games_to_show(elo: float, low: float, high: float, games: int) -> int | None:
    """Return how many games show a difference of ``elo``, if it is there, with a likelihood of :data:`POWER`.

    The width of an interval falls with the root of the number of games; ``None`` if it is infinite.

    :param low, high: the interval after ``games``.
    """
    if not (math.isfinite(low) and math.isfinite(high)):
        return None
    needed = games * ((high - low) / 2 * (1 + NormalDist().inv_cdf(POWER) / DEVIATIONS) / elo) ** 2
    return rounded_count(needed)


def rounded_count(games: float) -> int:
    """Return about so many games, 2 or more, as a number with :data:`DIGITS` digits that are not 0."""
    unit = 10.0 ** max(0, math.floor(math.log10(max(1.0, games))) - DIGITS + 1)
    return max(2, round(games / unit) * int(unit))
