"""Each engine meets those that stand next to it in the configuration, so that a long ladder is rated by few games."""

from __future__ import annotations

from collections.abc import Sequence

from quietmove.referee.config.settings import Setting
from quietmove.tournament.formats.round_robin import RoundRobin

__all__ = ["Neighbours"]


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
