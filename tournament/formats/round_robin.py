"""Pairs that are known beforehand meet in every round: everyone and everyone, or neighbours in the file."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import ClassVar

from quietmove.referee.config.settings import Setting
from quietmove.tournament.definition import Tournament
from quietmove.tournament.formats.base import Format, first_missing
from quietmove.tournament.games import Result, ScheduledGame, meeting

__all__ = ["Neighbours", "RoundRobin", "all_pairs"]


class RoundRobin(Format):
    """Every pair of engines meets once a round; all games are known beforehand."""

    settings: ClassVar[tuple[Setting, ...]] = (
        Setting(
            "rounds", 1, "how often every pair meets, each time over one opening", least=1, most=100_000, required=True
        ),
        Setting(
            "cycle",
            "double",
            "double: two games each time they meet, with colours swapped; single: one game, colours in turn",
            ("double", "single"),
        ),
    )

    def __init__(self, tournament: Tournament) -> None:
        super().__init__(tournament)
        self.rounds = self.most_meetings = int(self.values["rounds"])
        self.games_a_meeting = 1 if self.values["cycle"] == "single" else 2
        self.pairings = self.pairs(tournament.names)
        self.count = self.rounds * len(self.pairings) * self.games_a_meeting  # of all games of the tournament
        self._places = {name: place for place, name in enumerate(tournament.names)}

    def pairs(self, names: Sequence[str]) -> list[tuple[str, str]]:
        """Return the pairs that meet in each round."""
        return all_pairs(names)

    def next_games(self, results: Sequence[Result]) -> Iterator[ScheduledGame]:
        """Return all games from the first without a result on."""
        for number in range(first_missing(results), self.count + 1):
            index, second = divmod(number - 1, self.games_a_meeting)
            cycle, place = divmod(index, len(self.pairings))
            pair = self.pairings[place]
            if self.games_a_meeting == 1:
                second = (self._places[pair[0]] + self._places[pair[1]] + cycle) % 2  # both colours about equally often
            yield meeting(self.tournament, pair, cycle + 1, number - second)[second]

    def planned(self, results: Sequence[Result]) -> int:
        """Return the number of all games."""
        return self.count


class Neighbours(RoundRobin):
    """Pairs of engines that are at most ``reach`` places apart meet once a round; all games are known beforehand."""

    settings = (
        *RoundRobin.settings,
        Setting("reach", 2, "how many places apart two engines may be in the file to meet", least=1, most=10_000),
    )

    def pairs(self, names: Sequence[str]) -> list[tuple[str, str]]:
        """Return every pair of neighbours once, in the order of the names."""
        reach = int(self.values["reach"])
        return [(name, other) for place, name in enumerate(names) for other in names[place + 1 : place + 1 + reach]]


def all_pairs(names: Sequence[str]) -> list[tuple[str, str]]:
    """Return every pair once, in the order of the circle method, by which all players advance together.

    Within a pair the names keep their order.
    """
    circle = list(range(len(names) + len(names) % 2))  # with an odd number the one against the last rests
    pairs = []
    for _ in circle[1:]:
        boards = map(sorted, zip(circle[: len(circle) // 2], reversed(circle), strict=False))
        pairs += [(names[one], names[other]) for one, other in boards if other < len(names)]
        circle.insert(1, circle.pop())
    return pairs
