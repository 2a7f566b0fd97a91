"""Two formats that a tournament may be played by beside ours, and the command line that knows them.

formats.py ARGUMENTS    as quietmove-tournament, with two more rows in its registry of formats
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain

from quietmove.referee.settings import Setting
from quietmove.tournament.cli import main
from quietmove.tournament.formats import FORMATS, Format
from quietmove.tournament.formats.round_robin import RoundRobin
from quietmove.tournament.schedule import Result, ScheduledGame

FORMATS["first-to-lead"] = f"{__name__}:FirstToLead"
FORMATS["knockout"] = f"{__name__}:Knockout"


class FirstToLead(RoundRobin):
    """A match that ends as soon as one of two engines leads by enough points."""

    settings = (*RoundRobin.settings, Setting("lead", 2.0, "points that end the match", least=0.5))

    def next_games(self, results: Sequence[Result]) -> Sequence[ScheduledGame]:
        return () if self.is_decided(results) else super().next_games(results)

    def planned(self, results: Sequence[Result]) -> int | None:
        return len(results) if self.is_decided(results) else None

    def is_decided(self, results: Sequence[Result]) -> bool:
        points = sum(result.points_first() for result in results)
        return abs(2 * points - len(results)) >= self.values["lead"]


class Knockout(Format):
    """The winner of each pair goes on, where points are equal the first named; two games a meeting."""

    def next_games(self, results: Sequence[Result]) -> Iterator[ScheduledGame]:
        players, number = self.tournament.names, 1
        for round_number in range(1, len(players)):
            meetings = [
                self.meeting(pair, round_number, number + 2 * index)
                for index, pair in enumerate(zip(players[::2], players[1::2], strict=True))
            ]
            games = list(chain.from_iterable(meetings))
            yield from games
            number += len(games)
            finished = {result.number: result for result in results}
            if len(players) == 2 or not all(game.number in finished for game in games):
                return
            players = tuple(
                one.id.pair[sum(finished[game.number].points_first() for game in (one, two)) < 1]
                for one, two in meetings
            )

    def planned(self, results: Sequence[Result]) -> int:
        return 2 * (len(self.tournament.names) - 1)


if __name__ == "__main__":
    main()
