"""One player's clock, in milliseconds. It does not measure time: the caller passes the time each move took."""

from __future__ import annotations

from quietmove.referee.config.model import TimeControl


class Clock:
    """The time left to a player under a time control.

    The margin is a tolerance for the whole game. A game clock can go below zero by the overdrawn time, which increments
    and refills pay back first. With a fixed time per move, overdrawn time accumulates and is never paid back, because
    unused time does not carry over to the next move.

    :ivar remaining_ms: the time left in the game or until a refill, below 0 if overdrawn; None without a game clock.
    :ivar movestogo: the number of moves until the next refill, or None if there is none.
    """

    def __init__(self, control: TimeControl, margin_ms: int) -> None:
        """Create a clock for a new game. Replies can be ``margin_ms`` late in total before the player loses on time."""
        self.control = control
        self.margin_ms = margin_ms
        self.remaining_ms: float | None = control.base_ms
        self.movestogo = control.moves
        self._overdrawn_ms = 0.0  # sum of all delays so far, if there is a fixed time per move

    @property
    def limit_ms(self) -> float | None:
        """The time limit of the next move, or None if there is none."""
        return self.control.movetime_ms if self.remaining_ms is None else max(0.0, self.remaining_ms)

    @property
    def overdrawn_ms(self) -> float:
        """The part of the margin that earlier moves have used and not paid back."""
        return self._overdrawn_ms if self.remaining_ms is None else max(0.0, -self.remaining_ms)

    @property
    def patience_ms(self) -> float | None:
        """The longest wait for the next move: the limit plus the remaining margin, or None without a limit."""
        return None if self.limit_ms is None else self.limit_ms + max(0.0, self.margin_ms - self.overdrawn_ms)

    def charge(self, elapsed_ms: float) -> None:
        """Subtract the time of a completed move, then add the increment and any refill.

        A move that arrived too late is not played, so it earns no increment.
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
        """Charge a recorded move when an interrupted game is resumed.

        :param reading_ms: the clock's reading after the move, in whole milliseconds, or None without a game clock.
        """
        self.charge(elapsed_ms)
        if self.remaining_ms is not None and reading_ms is not None:
            # Recorded times are rounded, so their sum can differ from the clock reading.
            self.remaining_ms = float(reading_ms)

    def describe(self) -> str:
        """Return the next move's limit and the margin as readable text."""
        used = f", of which earlier moves used {self.overdrawn_ms:.0f} ms" if self.overdrawn_ms >= 0.5 else ""
        return f"{self.limit_ms or 0:.0f} ms and a margin of {self.margin_ms} ms{used}"
