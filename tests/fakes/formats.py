"""A format that a tournament may be played by beside ours, and the command line that knows them.

formats.py ARGUMENTS    as quietmove-tournament, with one more row in its registry of formats
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from quietmove.referee.config.settings import Setting
from quietmove.tournament.cli import main
from quietmove.tournament.formats import FORMATS
from quietmove.tournament.formats.round_robin import RoundRobin
from quietmove.tournament.games import Result, ScheduledGame


class FirstToLead(RoundRobin):
    """A match that ends as soon as one of two engines leads by enough points."""

    settings = (*RoundRobin.settings, Setting("lead", 2.0, "points that end the match", least=0.5))

    def next_games(self, results: Sequence[Result]) -> Iterable[ScheduledGame]:
        return () if self.is_decided(results) else super().next_games(results)

    def planned(self, results: Sequence[Result]) -> int | None:
        return len(results) if self.is_decided(results) else None

    def is_decided(self, results: Sequence[Result]) -> bool:
        points = sum(result.points_first() for result in results)
        return abs(2 * points - len(results)) >= self.values["lead"]


FORMATS["first-to-lead"] = FirstToLead

if __name__ == "__main__":
    main()
