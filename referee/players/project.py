"""A program of the Othello project: line one, then moves in turn, and nothing else.

It is judged as its course does: whatever it writes is its move.
"""

from __future__ import annotations

import re
import time

from quietmove.referee.players.base import Answer, Failure, Player, Turn

__all__ = ["ProjectPlayer"]

START_SECONDS = 1.0  # not charged of the first answer: such a program has no way to say that it is ready

_SLIDE = re.compile(r"([1-8])\s+([1-8])")
_ZERO = re.compile(r"([0-7])\s+([0-7])")


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
        if move == "pass" or self.config.coordinates == "slide":
            return move
        column, row = move.split()
        return f"{int(column) - 1} {8 - int(row)}"

    def _from_wire(self, text: str) -> str | None:
        """Return the move in the project's notation, or None if ``text`` is none in this player's coordinates."""
        if text == "pass":
            return text
        if self.config.coordinates == "slide":
            return " ".join(match.groups()) if (match := _SLIDE.fullmatch(text)) else None
        match = _ZERO.fullmatch(text)
        return f"{int(match[1]) + 1} {8 - int(match[2])}" if match else None
