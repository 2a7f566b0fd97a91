"""Limits and a clock, made into answers: whether to stop now, to start another iteration, to search to the end.

A clock for a game is shared out like this. The game bounds the moves to come, and from some move on its end is solved
exactly; what is left then hardly matters. So the time is shared out over the own moves until then, with a few shares
for solving. An iteration is started if that brings the time of the move nearer to its share; the share is stretched
while the search changes its mind, and less is taken while it does not. A search to the end may take several shares.
"""

from __future__ import annotations

import math
from collections.abc import Callable

from quietmove.engine.games.base import UNKNOWN_REMAINING
from quietmove.engine.values import Limits

MOST_MOVES = 25  # own moves that a game clock is shared out over at most, and where the game does not bound them
SOLVING = 3.0  # the solving of the end has so many shares of the time
OVERHEADS = 3  # a game's clock keeps back so many overheads, and one more for each move to come
SOLVER_SECONDS = 0.0005  # an exact search from the solver's reach on takes so long; each ply more doubles that
SHARES_AT_MOST = 4.0  # a move takes no more shares than this, and no more than LEFT_AT_MOST of the time left
LEFT_AT_MOST = 0.5
# A search to the end takes so many times the nodes of the last iteration for each ply that it goes beyond it, and makes
# them so many times as fast as the iterations did, since the game's own solver takes part.
SELECTIVE_GROWTH, SELECTIVE_SPEED = 1.65, 10
GROWTH, EXACT_SPEED = 2, 32
ITERATION_GROWTH = (1.2, 2.5)  # the time after an iteration is estimated as so many times the time before it
STABLE_AFTER = 7  # iterations in a row that find the best move of the one before them again
STABLE_FROM_TABLE = 5  # iterations that a move of the table counts for, once the first confirms it: the mean after ten
STABLE, UNSTABLE = 0.3, 2.6  # a settled move takes so many of its shares, a move in doubt so many
VALUE_FALL = 300  # hundredths of a point: a value that has fallen by so much doubles the share


class TimeManager:
    """The time of one search.

    :param limits: only the times in it matter here.
    :param now: seconds from any origin, as :func:`time.perf_counter` gives them.
    :param overhead: milliseconds kept back once a move for what lies between this program and its referee.
    :param end: an upper bound on the plies to the end of the game.
    :param reach: the plies before the end from which the game's own solver takes over.
    """

    def __init__(
        self,
        limits: Limits,
        now: Callable[[], float],
        overhead: int = 10,
        end: int = UNKNOWN_REMAINING,
        reach: int = 0,
    ) -> None:
        self._limits = limits
        self.now = now
        self._overhead = overhead / 1000
        self._end = end
        self._reach = reach
        self.began = now()
        self._started = self.began  # later, if the search begins by pondering
        self._pondering = limits.ponder
        self._ends: list[float] = []  # seconds until each iteration was done
        self._values: list[int] = []
        self._move: int | None = None
        self._at_end = False  # whether the last iteration reached the end of the game
        self._repeated = 0  # iterations in a row that found the last best move again
        self._share, self._most = self._budget()

    def _budget(self) -> tuple[float | None, float | None]:
        """Return the seconds that the move should take, and after how many the search is cut off."""
        limits = self._limits
        if limits.infinite or self._pondering:
            return None, None
        share = most = None
        if limits.time is not None:
            left = self._planned(limits.time / 1000)
            shares = self._shares(left)
            share = min(left, left / shares + limits.increment / 1000)
            most = left if limits.movestogo == 1 else min(SHARES_AT_MOST * share, LEFT_AT_MOST * left)
        if limits.movetime is not None:
            movetime = limits.movetime / 1000
            movetime -= min(self._overhead, movetime / 2)
            most = movetime if most is None else min(movetime, most)
        return share, most

    def _planned(self, left: float) -> float:
        """Return how much of the seconds left on a clock may be used for thinking.

        Each move to come needs its overhead too, unless its increment pays for it. What one move takes too long is
        missing in all later ones, so more is kept back than that.
        """
        to_come = min(MOST_MOVES, self._end // 2, self._limits.movestogo or MOST_MOVES) - 1
        unpaid = max(0.0, self._overhead - self._limits.increment / 1000)
        kept = OVERHEADS * self._overhead + max(0, to_come) * unpaid
        return max(0.0, left - min(kept, max(self._overhead, left / 2)))

    def _shares(self, left: float) -> float:
        """Return the number of shares in ``left`` seconds: one for each own move until one is enough to solve the end.

        The clock may be refilled before that.
        """
        moves = 0
        while moves < MOST_MOVES:
            share = left / (moves + SOLVING)
            if self._end - 2 * moves <= self._reach + math.log2(max(1.0, share / SOLVER_SECONDS)):
                break
            moves += 1
        return min(moves + SOLVING, self._limits.movestogo or math.inf)

    def elapsed(self) -> float:
        """Return the seconds since the search began."""
        return self.now() - self.began

    def expired(self) -> bool:
        """Tell whether the search must stop now."""
        return self._most is not None and self.now() - self._started >= self._most

    def remembered(self, move: int) -> None:
        """Take note of the best move of a search before this one, which may have settled on it or not."""
        self._move, self._repeated = move, STABLE_FROM_TABLE - 1

    def iteration_done(self, move: int, value: int, to_end: bool = False) -> None:
        """Take note of the answer of an iteration, and whether it reached the end of the game, perhaps selectively."""
        self._at_end = to_end
        self._ends.append(self.elapsed())
        self._values.append(value)
        self._repeated = self._repeated + 1 if move == self._move else 0
        self._move = move

    def may_go_on(self) -> bool:
        """Tell whether another iteration should be started: it brings the move nearer to its time, and can be done.

        A move that was pondered on has had that time already.
        """
        if self._share is None:
            return True
        spent = self.elapsed()
        longer = spent * (self._growth() - 1)
        if self._most is not None and self.now() - self._started + longer > self._most:
            return False
        return spent + longer / 2 < self._share * self._stretch()

    def _growth(self) -> float:
        """Return how many times the time until now it will be when one more is done: as for the last two, if known."""
        least, most = ITERATION_GROWTH
        if len(self._ends) < 3:
            return math.sqrt(least * most)
        if self._ends[-3] <= 0:
            return least
        return min(most, max(least, math.sqrt(self._ends[-1] / self._ends[-3])))

    def _stretch(self) -> float:
        """Return by how much the share of this move is stretched.

        Once the end is solved for certain no later move needs much time, so what is kept for that may be used. Values
        of even and of odd depths differ, so a fall is one since the last but one.
        """
        if self._at_end:
            return SOLVING
        settled = min(1.0, self._repeated / STABLE_AFTER)
        fall = max(0, self._values[-3] - self._values[-1]) if len(self._values) > 2 else 0
        return (UNSTABLE + (STABLE - UNSTABLE) * settled) * (1 + min(1.0, fall / VALUE_FALL))

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
        now = self.now()
        return self._most is None or (now - self.began) * work / speed <= self._most - (now - self._started)

    @property
    def limited(self) -> bool:
        """Whether nodes or time may cut an iteration off."""
        return self._limits.nodes is not None or self._most is not None or self._pondering

    def ponderhit(self) -> None:
        """Start the clock of a search that has been pondering."""
        self._pondering = False
        self._started = self.now()
        self._share, self._most = self._budget()

    @property
    def timed(self) -> bool:
        """Whether a clock is running, so that time saved is time won."""
        return self._share is not None
