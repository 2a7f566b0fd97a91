"""Pairs that are known beforehand meet in every round: everyone and everyone, neighbours, or some and all others."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import ClassVar

from quietmove.referee.config.validation import Setting
from quietmove.tournament.definition import Tournament
from quietmove.tournament.formats.base import Format, Summary, first_missing
from quietmove.tournament.games import Result, ScheduledGame
from quietmove.tournament.statistics.standings import Comparison, meetings

MOST_ANSWERS = 20  # pairs of a gauntlet that get a sentence each; of more pairs the table alone speaks


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
        self.count = self.rounds * len(self.pairings) * self.games_a_meeting  # games of the whole tournament
        self._places = {name: place for place, name in enumerate(tournament.names)}

    def pairs(self, names: Sequence[str]) -> list[tuple[str, str]]:
        return all_pairs(names)

    def next_games(self, results: Sequence[Result]) -> Iterator[ScheduledGame]:
        for number in range(first_missing(results), self.count + 1):
            index, second = divmod(number - 1, self.games_a_meeting)
            cycle, place = divmod(index, len(self.pairings))
            pair = self.pairings[place]
            if self.games_a_meeting == 1:
                second = (self._places[pair[0]] + self._places[pair[1]] + cycle) % 2  # both colours about equally often
            yield self.meeting(pair, cycle + 1, number - second)[second]

    def planned(self, results: Sequence[Result]) -> int:
        return self.count


class Neighbours(RoundRobin):
    """Pairs of engines that are at most ``reach`` places apart meet once a round; all games are known beforehand."""

    settings = (
        *RoundRobin.settings,
        Setting("reach", 2, "how many places apart two engines may be in the file to meet", least=1, most=10_000),
    )

    def pairs(self, names: Sequence[str]) -> list[tuple[str, str]]:
        reach = int(self.values["reach"])
        return [(name, other) for place, name in enumerate(names) for other in names[place + 1 : place + 1 + reach]]


class Gauntlet(RoundRobin):
    """Each of the first ``seeds`` engines of the file meets every engine after them, in every round."""

    settings = (
        *RoundRobin.settings,
        Setting("seeds", 1, "how many engines, the first of the file, meet all others", least=1, most=10_000),
    )

    def pairs(self, names: Sequence[str]) -> list[tuple[str, str]]:
        seeds = int(self.values["seeds"])
        return [(seed, other) for other in names[seeds:] for seed in names[:seeds]]

    def problems(self) -> list[tuple[str, str]]:
        seeds = int(self.values["seeds"])
        engines = len(self.tournament.engines)
        if seeds < engines:
            return super().problems()
        return [("seeds", f"must be from 1 to {engines - 1}, less than the number of engines, not {seeds}")]

    def summary(self, results: Sequence[Result]) -> Summary:
        found = (Comparison.of(each.first, each.second, each.pentanomial) for each in meetings(results))
        answers = [answer for answer in found if answer is not None]
        if not answers or len(self.pairings) > MOST_ANSWERS:
            return Summary()
        facts = [
            {"first": each.first, "second": each.second, "better": each.better, "text": each.sentence()}
            for each in answers
        ]
        lines = [f"{each.sentence()}." for each in answers]
        met = Counter(name for pair in self.pairings for name in pair)
        beaten = Counter(each.better for each in answers)
        best = [name for name in self.tournament.names if beaten[name] == met[name] > 1]
        lines += [f"{name} is better than each of the {met[name]} that it met." for name in best]
        return Summary(tuple(lines), {"answers": facts, "better_than_all": best})


def all_pairs(names: Sequence[str]) -> list[tuple[str, str]]:
    """Return every pair once, in the order of the circle method, by which all players advance together.

    Within a pair the names keep their order.
    """
    circle = list(range(len(names) + len(names) % 2))  # the last place of an odd number is a rest
    pairs = []
    for _ in circle[1:]:
        boards = map(sorted, zip(circle[: len(circle) // 2], reversed(circle), strict=False))
        pairs += [(names[one], names[other]) for one, other in boards if other < len(names)]
        circle.insert(1, circle.pop())
    return pairs
