"""Formats whose pairings are fixed in advance: everyone against everyone, neighbours, or some against all others."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import ClassVar

from quietmove.referee.config.validation import Setting
from quietmove.tournament.definition import Tournament
from quietmove.tournament.formats.base import Format, Summary, first_missing
from quietmove.tournament.games import Result, ScheduledGame
from quietmove.tournament.statistics.standings import SIGNIFICANT, Comparison, meetings

MAX_ANSWERS = 20  # with more pairs than this, a gauntlet's summary has no sentence about each


class RoundRobin(Format):
    """A round-robin: every pair of engines meets once per round, and all games are known in advance."""

    settings: ClassVar[tuple[Setting, ...]] = (
        Setting(
            "rounds", 1, "number of meetings of every pair, each from one opening", least=1, most=100_000, required=True
        ),
        Setting(
            "cycle",
            "double",
            "double: two games per meeting, with colours swapped; single: one game, with alternating colours",
            ("double", "single"),
        ),
    )

    def __init__(self, tournament: Tournament) -> None:
        super().__init__(tournament)
        self.rounds = self.most_meetings = int(self.values["rounds"])
        self.games_a_meeting = 1 if self.values["cycle"] == "single" else 2
        self.pairings = self.pairs(tournament.names)
        self.count = self.rounds * len(self.pairings) * self.games_a_meeting  # games in the whole tournament
        self._places = {name: place for place, name in enumerate(tournament.names)}

    def pairs(self, names: Sequence[str]) -> list[tuple[str, str]]:
        return all_pairs(names)

    def next_games(self, results: Sequence[Result]) -> Iterator[ScheduledGame]:
        for number in range(first_missing(results), self.count + 1):
            index, second = divmod(number - 1, self.games_a_meeting)
            cycle, place = divmod(index, len(self.pairings))
            pair = self.pairings[place]
            if self.games_a_meeting == 1:
                second = (self._places[pair[0]] + self._places[pair[1]] + cycle) % 2  # balances the colours
            yield self.meeting(pair, cycle + 1, number - second)[second]

    def planned(self, results: Sequence[Result]) -> int:
        return self.count


class Neighbours(RoundRobin):
    """A round-robin of neighbours: engines at most ``reach`` places apart in the file meet once per round."""

    settings = (
        *RoundRobin.settings,
        Setting("reach", 2, "maximum distance in the file between two engines that meet", least=1, most=10_000),
    )

    def pairs(self, names: Sequence[str]) -> list[tuple[str, str]]:
        reach = int(self.values["reach"])
        return [(name, other) for place, name in enumerate(names) for other in names[place + 1 : place + 1 + reach]]


class Gauntlet(RoundRobin):
    """A gauntlet: each of the first ``seeds`` engines in the file meets every engine after them, in every round."""

    settings = (
        *RoundRobin.settings,
        Setting(
            "seeds",
            1,
            "the number of engines at the start of the file, each of which meets all engines after these",
            least=1,
            most=10_000,
        ),
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
        answers = Comparison.of_each((each.first, each.second, each.pentanomial) for each in meetings(results))
        if not answers or len(self.pairings) > MAX_ANSWERS:
            return Summary()
        facts = [
            {
                "first": each.first,
                "second": each.second,
                "better": each.better,
                "p_value": each.p_value,
                "text": each.sentence(),
            }
            for each in answers
        ]
        lines = [f"{each.sentence()}." for each in answers]
        met = Counter(name for pair in self.pairings for name in pair)
        beaten = Counter(each.better for each in answers)
        best = [name for name in self.tournament.names if beaten[name] == met[name] > 1]
        lines += [f"{name} is better than each of its {met[name]} opponents." for name in best]
        if len(answers) > 1:
            lines.append(f"Better: p < {SIGNIFICANT:g} with Holm's correction for {len(answers)} comparisons.")
        return Summary(tuple(lines), {"answers": facts, "better_than_all": best})


def all_pairs(names: Sequence[str]) -> list[tuple[str, str]]:
    """Return every pair once, in the order of the circle method, which lets all players advance together.

    Within a pair the names keep their order.
    """
    circle = list(range(len(names) + len(names) % 2))  # with an odd number, the last place is a bye
    pairs = []
    for _ in circle[1:]:
        boards = map(sorted, zip(circle[: len(circle) // 2], reversed(circle), strict=False))
        pairs += [(names[one], names[other]) for one, other in boards if other < len(names)]
        circle.insert(1, circle.pop())
    return pairs
