"""Some engines meet all others, which do not meet each other."""

from __future__ import annotations

from collections.abc import Sequence

from quietmove.referee.settings import Setting
from quietmove.tournament.formats.round_robin import RoundRobin

__all__ = ["Gauntlet"]


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
        return [("seeds", f"should be from 1 to {engines - 1}, less than the number of engines; got {seeds}")]
