"""Some engines meet all others, which do not meet each other."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from quietmove.referee.config.settings import Setting
from quietmove.tournament.formats.base import Summary
from quietmove.tournament.formats.round_robin import RoundRobin
from quietmove.tournament.games import Result
from quietmove.tournament.statistics.answers import Answer
from quietmove.tournament.statistics.standings import meetings

__all__ = ["Gauntlet"]


MOST_ANSWERS = 20  # sentences; of more pairs the table alone speaks


class Gauntlet(RoundRobin):
    """Each of the first ``seeds`` engines of the file meets every engine after them, in every round."""

    settings = (
        *RoundRobin.settings,
        Setting("seeds", 1, "how many engines, the first of the file, meet all others", least=1, most=10_000),
    )

    def pairs(self, names: Sequence[str]) -> list[tuple[str, str]]:
        """Return each seed with each other engine."""
        seeds = int(self.values["seeds"])
        return [(seed, other) for other in names[seeds:] for seed in names[:seeds]]

    def problems(self) -> list[tuple[str, str]]:
        """Say if nobody is left to meet."""
        seeds, engines = int(self.values["seeds"]), len(self.tournament.engines)
        if seeds < engines:
            return super().problems()
        return [("seeds", f"must be from 1 to {engines - 1}, less than the number of engines, not {seeds}")]

    def summary(self, results: Sequence[Result]) -> Summary:
        """Return for each pair which of the two is better, and whether one seed is better than all it met."""
        answers = list(self._answers(results))
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

    def _answers(self, results: Sequence[Result]) -> Iterator[Answer]:
        for meeting in meetings(results):
            if found := Answer.of(meeting.first, meeting.second, meeting.pentanomial):
                yield found
