"""One player's clock, in milliseconds. It does not measure time: the caller says how long a move took."""

from __future__ import annotations

from quietmove.referee.config import TimeControl

__all__ = ["Clock"]


class Clock:
    """The time that a player has left under its time control.

    :ivar remaining_ms: left for the game, or until the next refill; ``None`` where the control is no such clock.
    :ivar movestogo: moves until the clock is refilled; ``None`` where it never is.
    """

    def __init__(self, control: TimeControl, margin_ms: int) -> None:
        """Set the clock for a new game; an answer may be ``margin_ms`` late without being too late."""
        self.control = control
        self.margin_ms = margin_ms
        self.remaining_ms: float | None = control.base_ms
        self.movestogo = control.moves

    @property
    def limit_ms(self) -> float | None:
        """What the next move may take; ``None`` where no time limit holds."""
        return self.control.movetime_ms if self.remaining_ms is None else self.remaining_ms

    @property
    def patience_ms(self) -> float | None:
        """How long to wait for the next move: the limit and the margin; ``None`` where no time limit holds."""
        return None if self.limit_ms is None else self.limit_ms + self.margin_ms

    def charge(self, elapsed_ms: float) -> None:
        """Take the time of a move that was played off the clock, and add what the control gives for it.

        Time within the margin costs nothing: a clock does not fall below zero.
        """
        if self.remaining_ms is None:
            return
        self.remaining_ms = max(0.0, self.remaining_ms - elapsed_ms) + self.control.increment_ms
        if self.movestogo is not None and self.control.moves is not None and self.control.base_ms is not None:
            self.movestogo -= 1
            if self.movestogo == 0:
                self.movestogo = self.control.moves
                self.remaining_ms += self.control.base_ms
