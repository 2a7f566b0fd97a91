"""Everyone meets everyone, in every round."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain
from typing import TYPE_CHECKING, ClassVar

from quietmove.referee.settings import Setting
from quietmove.tournament.formats.base import Format
from quietmove.tournament.schedule import Result, ScheduledGame

if TYPE_CHECKING:
    from quietmove.tournament.config import Tournament

__all__ = ["RoundRobin", "round_robin"]


class RoundRobin(Format):
    """Every pair of engines meets once a round; all games are known beforehand."""

    settings: ClassVar[tuple[Setting, ...]] = (
        Setting(
            "rounds",
            1,
            "how often every pair meets; each time over one opening with both colours",
            least=1,
            most=100_000,
            required=True,
        ),
    )

    def __init__(self, tournament: Tournament) -> None:
        super().__init__(tournament)
        self.rounds = int(self.values["rounds"])
        pairs = self.pairs(tournament.names)
        meetings = ((pair, number) for number in range(1, self.rounds + 1) for pair in pairs)
        games = (self.meeting(pair, number, 2 * index + 1) for index, (pair, number) in enumerate(meetings))
        self.games = tuple(chain.from_iterable(games))

    def pairs(self, names: Sequence[str]) -> list[tuple[str, str]]:
        """Return the pairs that meet in each round."""
        return round_robin(names)

    def next_games(self, results: Sequence[Result]) -> Sequence[ScheduledGame]:
        """Return all games."""
        return self.games

    def planned(self, results: Sequence[Result]) -> int:
        """Return the number of all games."""
        return len(self.games)

    def remarks(self) -> list[str]:
        """Say if a pair meets twice over one opening."""
        openings = len(self.tournament.openings)
        if self.rounds <= openings:
            return []
        return [
            f"{self.rounds} rounds over {openings} openings: pairs meet over the same ones again, and games that "
            "engines repeat exactly count once"
        ]


def round_robin(names: Sequence[str]) -> list[tuple[str, str]]:
    """Return every pair once, ordered by the circle method so that all players advance together.

    Within a pair the names keep the order of ``names``.
    """
    count = len(names) + len(names) % 2
    circle = list(range(count))
    pairs = []
    for _ in range(count - 1):
        for first, second in _opposite(circle):
            if second < len(names):  # with an odd number of engines the one that is paired with nobody rests
                pairs.append((names[first], names[second]))
        circle[1:] = [circle[-1], *circle[1:-1]]
    return pairs


def _opposite(circle: list[int]) -> Iterator[tuple[int, int]]:
    for i in range(len(circle) // 2):
        one, other = circle[i], circle[-1 - i]
        yield min(one, other), max(one, other)
