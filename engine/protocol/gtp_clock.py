"""The clocks of a GTP controller: a time for the game, periods of moves after it, and what is left of them."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class TimeLeft:
    """One side's clock.

    :param milliseconds: what is left, for the next ``moves`` moves, or with 0 for all.
    """

    milliseconds: int
    moves: int = 0


class GtpClocks:
    """Both clocks, from the controller's last word on them."""

    def __init__(self) -> None:
        self._periods: tuple[TimeLeft, TimeLeft] | None = None  # the main time and a period of time_settings
        self._left: dict[int, TimeLeft] = {}

    def reset(self) -> None:
        """Begin a game with full clocks."""
        self._left.clear()

    def set(self, main: int, period: int, moves: int) -> None:
        """Set milliseconds for a game and for a period of moves after it; a period without moves means no limit."""
        unlimited = period > 0 and moves == 0
        self._periods = None if unlimited else (TimeLeft(main), TimeLeft(period, moves))
        self._left.clear()

    def tell(self, side: int, milliseconds: int, moves: int) -> None:
        """Set what is left for ``side``."""
        self._left[side] = TimeLeft(milliseconds, moves)

    def left(self, side: int) -> TimeLeft | None:
        """Return what is left for ``side``, None without a limit."""
        if self._periods is None:
            return self._left.get(side)
        main, period = self._periods
        left = self._left.setdefault(side, main)
        if left.milliseconds <= 0 and left.moves == 0 and period.moves:
            left = self._left[side] = period
        return left

    def spend(self, side: int, milliseconds: int) -> None:
        """Take the time of a move off the clock of ``side``, in case the controller does not say what is left."""
        left = self.left(side)
        if left is None:
            return
        moves = max(0, left.moves - 1)
        if left.moves == 1 and self._periods is not None:
            self._left[side] = self._periods[1]
        else:
            self._left[side] = TimeLeft(max(0, left.milliseconds - milliseconds), moves)
