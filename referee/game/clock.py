"""One player's clock, in milliseconds. It does not measure time: the caller says how long a move took."""

from __future__ import annotations

from quietmove.referee.config.model import TimeControl


class Clock:
    """The time that a player has left under its time control.

    The margin is a tolerance for the whole game. A clock for the game goes below zero by what is overdrawn, and
    increments and refills pay that back first. Under a time for each move, what is overdrawn adds up, and nothing pays
    it back: time that a move did not use is not carried over to another.

    :ivar remaining_ms: left for the game, or until the next refill; negative where that much is owed; ``None`` where
        the control is no such clock.
    :ivar movestogo: moves until the clock is refilled; ``None`` where it never is.
    """

    def __init__(self, control: TimeControl, margin_ms: int) -> None:
        """Set the clock for a new game; its answers may be ``margin_ms`` late in all without being too late."""
        self.control = control
        self.margin_ms = margin_ms
        self.remaining_ms: float | None = control.base_ms
        self.movestogo = control.moves
        self._overdrawn_ms = 0.0  # the sum over all moves under a time for each move

    @property
    def limit_ms(self) -> float | None:
        """What the next move may take; ``None`` where no time limit holds."""
        return self.control.movetime_ms if self.remaining_ms is None else max(0.0, self.remaining_ms)

    @property
    def overdrawn_ms(self) -> float:
        """How much of the margin earlier moves have used and not paid back."""
        return self._overdrawn_ms if self.remaining_ms is None else max(0.0, -self.remaining_ms)

    @property
    def patience_ms(self) -> float | None:
        """How long to wait for the next move: the limit and what is left of the margin; ``None`` without a limit."""
        return None if self.limit_ms is None else self.limit_ms + max(0.0, self.margin_ms - self.overdrawn_ms)

    def charge(self, elapsed_ms: float) -> None:
        """Take the time of a move that was played off the clock, and add what the control gives for it.

        A move that came too late is not played, so it gains nothing.
        """
        if self.control.movetime_ms is not None:
            self._overdrawn_ms += max(0.0, elapsed_ms - self.control.movetime_ms)
        if self.remaining_ms is None:
            return
        self.remaining_ms += self.control.increment_ms - elapsed_ms
        if self.movestogo is not None and self.control.moves is not None and self.control.base_ms is not None:
            self.movestogo -= 1
            if self.movestogo == 0:
                self.movestogo = self.control.moves
                self.remaining_ms += self.control.base_ms

    def replay(self, elapsed_ms: float, reading_ms: int | None) -> None:
        """Charge a move of an earlier run, after which the clock read ``reading_ms``, in whole milliseconds."""
        self.charge(elapsed_ms)
        if self.remaining_ms is not None and reading_ms is not None:
            # The times of a record are rounded, so their sum differs from the reading.
            self.remaining_ms = float(reading_ms)

    def describe(self) -> str:
        """Return the limit of the next move and the margin, for a person."""
        used = f", of which earlier moves used {self.overdrawn_ms:.0f} ms" if self.overdrawn_ms >= 0.5 else ""
        return f"{self.limit_ms or 0:.0f} ms and a margin of {self.margin_ms} ms{used}"
