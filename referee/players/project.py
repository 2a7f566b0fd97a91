"""A program of the Othello project: line one, then moves in turn, and nothing else.

It is judged as its course does: whatever it writes is its move.
"""

from __future__ import annotations

import time

from quietmove.engine.protocol.coordinates import PROGRAMS
from quietmove.referee.players.base import Answer, Failure, Player, Turn

__all__ = ["ProjectPlayer"]

START_SECONDS = 1.0  # not charged of the first answer: such a program has no way to say that it is ready


class ProjectPlayer(Player):
    """Lines are taken in the order in which they came: one that came unasked is the next answer."""

    _has_answered = False

    async def _greet(self) -> Failure | None:
        if self.color == "white":  # Black moves at once after line one, so it gets that when its clock is started
            self.process.send(self._line_one())
        return None

    async def think(self, turn: Turn) -> Answer:
        """Send the opponent's move, or line one, and read the one line that is the answer."""
        self.process.begin_turn(forget=False)
        started = time.monotonic()
        if not self._has_answered:
            started += START_SECONDS
            self._has_answered = True
        self.process.send(self._to_wire(turn.moves[-1]) if turn.moves else self._line_one())
        line = await self.process.read_line(started + self._patience(turn))
        return self._answer(line, self._from_wire(line.text.strip()) if line else None, started)

    def _line_one(self) -> str:
        limit = self.config.limit
        unit_ms = 1000 if self.config.time_unit == "s" else 1
        move_limit, game_limit = ((milliseconds or 0) // unit_ms for milliseconds in (limit.movetime_ms, limit.base_ms))
        return f"game {self.color[0].upper()} {limit.depth or 0} {move_limit} {game_limit}"

    def _to_wire(self, move: str) -> str:
        return PROGRAMS[self.config.coordinates].write(self.grid, move)

    def _from_wire(self, text: str) -> str | None:
        """Return the canonical text of the move, or None if ``text`` is none in this player's coordinates."""
        return text if text == "pass" else PROGRAMS[self.config.coordinates].read(self.grid, text)
