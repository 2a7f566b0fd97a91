"""Limits and a clock, made into two answers: whether to stop now, and whether another iteration is worth starting."""

from __future__ import annotations

from collections.abc import Callable

from quietmove.engine.values import Limits

__all__ = ["Clock"]

OVERHEAD = 0.010  # seconds of a game's clock kept back for what lies between this program and its referee
MOVES_LEFT = 25  # own moves that a game clock is shared out over when it does not say
SELECTIVE_GROWTH = 1.65  # the same as the next two, of a selective search to the end
SELECTIVE_SPEED = 10
GROWTH = 2  # how many times more nodes an exact search takes for each ply that it goes on beyond the last iteration
EXACT_SPEED = 32  # how many times as fast it makes them as the iterations did, the game's own solver taking part
WORTH_STARTING = 0.5  # an iteration takes longer than all before it: none is started beyond this share of the time


class Clock:
    """The time of one search.

    :param limits: only the times in it matter here.
    :param now: seconds from any origin, as :func:`time.perf_counter` gives them.
    """

    def __init__(self, limits: Limits, now: Callable[[], float]) -> None:
        self._limits = limits
        self._now = now
        self.began = now()
        self._started = self.began  # later, if the search begins by pondering
        self._pondering = limits.ponder
        self._soft, self._hard = self._budget()

    def _budget(self) -> tuple[float | None, float | None]:
        """Return the seconds after which no iteration is started, and after which the search is cut off."""
        limits = self._limits
        if limits.infinite or self._pondering:
            return None, None
        soft = hard = None
        if limits.time is not None:
            left = max(0.0, limits.time / 1000 - OVERHEAD)
            share = left / (limits.movestogo or MOVES_LEFT) + limits.increment / 1000 * 0.75
            soft, hard = (
                min(share, left) * WORTH_STARTING,
                min(3 * share, left * 0.8 if limits.movestogo != 1 else left),
            )
        if limits.movetime is not None:
            hard = min(limits.movetime / 1000, hard if hard is not None else limits.movetime / 1000)
        return soft, hard

    def elapsed(self) -> float:
        """Return the seconds since the search began."""
        return self._now() - self.began

    def expired(self) -> bool:
        """Tell whether the search must stop now."""
        return self._hard is not None and self._now() - self._started >= self._hard

    def may_go_on(self) -> bool:
        """Tell whether another iteration should be started."""
        return self._soft is None or self._now() - self._started < self._soft

    def allows_end(self, plies: int, nodes: int, selective: bool = False) -> bool:
        """Tell whether a search to the end of the game is likely to finish within the limits.

        :param plies: from the depth of the last iteration to the end.
        :param nodes: of all iterations so far.
        :param selective: whether the search may be selective; it is exact otherwise.
        """
        work = (SELECTIVE_GROWTH if selective else GROWTH) ** plies
        speed = SELECTIVE_SPEED if selective else EXACT_SPEED
        if self._limits.nodes is not None and nodes * work > self._limits.nodes - nodes:
            return False
        spent = self._now() - self._started
        return self._hard is None or spent * work / speed <= self._hard - spent

    @property
    def limited(self) -> bool:
        """Whether nodes or time may cut an iteration off."""
        return self._limits.nodes is not None or self._hard is not None

    def ponderhit(self) -> None:
        """Start the clock of a search that has been pondering."""
        self._pondering = False
        self._started = self._now()
        self._soft, self._hard = self._budget()

    @property
    def timed(self) -> bool:
        """Whether a clock is running, so that time saved is time won."""
        return self._soft is not None
