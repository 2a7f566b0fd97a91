"""Time management, which decides whether to stop, to start another iteration, or to search to the end of the game.

A game clock is divided as follows. The game bounds the number of moves left, and from some move on, its end can be
solved exactly; after that, time hardly matters. So the time is divided among the player's own moves until then, plus a
few shares for solving. An iteration is started if it brings the time for the move closer to its share. The share is
increased while the search changes its mind, and reduced while it does not. A search to the end may use several shares.
"""

from __future__ import annotations

import math
from collections.abc import Callable

from quietmove.engine.games.base import UNKNOWN_REMAINING
from quietmove.engine.values import Limits

MAX_MOVES = 25  # maximum number of own moves among which a game clock is divided, also used if the game has no bound
SOLVING = 3.0  # shares of the time reserved for solving the end
OVERHEADS = 3  # overheads reserved from a game clock, plus one for each move left
SOLVER_SECONDS = 0.0005  # time of an exact search at the solver's reach; each additional ply doubles it
SHARES_AT_MOST = 4.0  # maximum number of shares for one move, which also uses at most LEFT_AT_MOST of the time left
LEFT_AT_MOST = 0.5
# A search to the end multiplies the nodes of the last iteration by its growth for each additional ply. Its speed is
# relative to that of the iterations; it is faster because it uses the game's own solver.
SELECTIVE_GROWTH, SELECTIVE_SPEED = 1.65, 10
GROWTH, EXACT_SPEED = 2, 32
ITERATION_GROWTH = (1.2, 2.5)  # bounds for the factor by which an iteration increases the elapsed time
STABLE_AFTER = 7  # iterations in a row that must find the best move again before it counts as settled
STABLE_FROM_TABLE = 5  # iterations that a table's move counts for if the first one confirms it: the mean after ten
STABLE, UNSTABLE = 0.3, 2.6  # factors of the share for a settled move and for an undecided one
VALUE_FALL = 300  # hundredths of a point: a drop in value of this size doubles the share


class TimeManager:
    """Time management for one search.

    :param limits: the search limits; only times matter here.
    :param now: a function that returns seconds from an arbitrary origin, like :func:`time.perf_counter`.
    :param overhead: milliseconds reserved per move for delays between this program and its referee.
    :param end: upper bound on the plies to the end of the game.
    :param reach: plies before the end at which the game's own solver takes over.
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
        self._started = self.began  # reset by the ponder hit if the search starts by pondering
        self._pondering = limits.ponder
        self._ends: list[float] = []  # seconds at the end of each iteration
        self._values: list[int] = []
        self._move: int | None = None
        self._at_end = False  # whether the last iteration reached the end of the game
        self._repeated = 0  # consecutive iterations that found the last best move again
        self._share, self._most = self._budget()

    def _budget(self) -> tuple[float | None, float | None]:
        """Return the target time for the move and the time limit of the search, in seconds, or None for no limit."""
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
        """Return the part of the seconds left on a clock that can be used for thinking.

        Each move left needs its overhead too, unless its increment covers that. Time overspent on one move is missing
        for all later ones, so more than that is reserved.
        """
        to_come = min(MAX_MOVES, self._end // 2, self._limits.movestogo or MAX_MOVES) - 1
        unpaid = max(0.0, self._overhead - self._limits.increment / 1000)
        reserved = OVERHEADS * self._overhead + max(0, to_come) * unpaid
        return max(0.0, left - min(reserved, max(self._overhead, left / 2)))

    def _shares(self, left: float) -> float:
        """Return the number of shares into which to divide ``left`` seconds.

        There is one for each own move until a share suffices to solve the end, and :data:`SOLVING` more for solving it,
        but at most one for each move until the clock is refilled.
        """
        moves = 0
        while moves < MAX_MOVES:
            share = left / (moves + SOLVING)
            if self._end - 2 * moves <= self._reach + math.log2(max(1.0, share / SOLVER_SECONDS)):
                break
            moves += 1
        return min(moves + SOLVING, self._limits.movestogo or math.inf)

    def elapsed(self) -> float:
        """Return the seconds since the search began."""
        return self.now() - self.began

    def expired(self) -> bool:
        """Return whether the search must stop now."""
        return self._most is not None and self.now() - self._started >= self._most

    def remembered(self, move: int) -> None:
        """Record the best move of an earlier search, which may or may not have settled on it."""
        self._move, self._repeated = move, STABLE_FROM_TABLE - 1

    def iteration_done(self, move: int, value: int, to_end: bool = False) -> None:
        """Record the result of an iteration, and whether it reached the end of the game (possibly selectively)."""
        self._at_end = to_end
        self._ends.append(self.elapsed())
        self._values.append(value)
        self._repeated = self._repeated + 1 if move == self._move else 0
        self._move = move

    def may_go_on(self) -> bool:
        """Return whether another iteration would fit and bring the move closer to its target time.

        Time spent pondering counts as time for the move.
        """
        if self._share is None:
            return True
        spent = self.elapsed()
        longer = spent * (self._growth() - 1)
        if self._most is not None and self.now() - self._started + longer > self._most:
            return False
        return spent + longer / 2 < self._share * self._stretch()

    def _growth(self) -> float:
        """Estimate, from the last two iterations, the factor by which the next one will increase the elapsed time."""
        least, most = ITERATION_GROWTH
        if len(self._ends) < 3:
            return math.sqrt(least * most)
        if self._ends[-3] <= 0:
            return least
        return min(most, max(least, math.sqrt(self._ends[-1] / self._ends[-3])))

    def _stretch(self) -> float:
        """Return the factor by which to multiply the share of this move.

        Once the end is solved exactly, no later move needs much time, so the time reserved for solving can be used.
        Values at even and odd depths differ, so a drop is measured against the iteration two before.
        """
        if self._at_end:
            return SOLVING
        settled = min(1.0, self._repeated / STABLE_AFTER)
        fall = max(0, self._values[-3] - self._values[-1]) if len(self._values) > 2 else 0
        return (UNSTABLE + (STABLE - UNSTABLE) * settled) * (1 + min(1.0, fall / VALUE_FALL))

    def allows_end(self, plies: int, nodes: int, selective: bool = False) -> bool:
        """Return whether a search to the end of the game is likely to finish within the limits.

        :param plies: plies from the depth of the last iteration to the end.
        :param nodes: nodes of all iterations so far.
        :param selective: whether the search is selective instead of exact.
        """
        work = (SELECTIVE_GROWTH if selective else GROWTH) ** plies
        speed = SELECTIVE_SPEED if selective else EXACT_SPEED
        if self._limits.nodes is not None and nodes * work > self._limits.nodes - nodes:
            return False
        now = self.now()
        return self._most is None or (now - self.began) * work / speed <= self._most - (now - self._started)

    @property
    def limited(self) -> bool:
        """Whether a node limit, a time limit or the end of pondering can interrupt an iteration."""
        return self._limits.nodes is not None or self._most is not None or self._pondering

    def ponderhit(self) -> None:
        """Start the clock of a search that has been pondering."""
        self._pondering = False
        self._started = self.now()
        self._share, self._most = self._budget()

    @property
    def timed(self) -> bool:
        """Whether a clock is running, so that saved time is useful."""
        return self._share is not None
