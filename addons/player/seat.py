"""The seat of a course's player, for the referee."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from quietmove.addons.player.lines import COMMENT, LETTERS, move_line, move_of
from quietmove.referee.config.model import COLORS
from quietmove.referee.process.line_process import OutputLine
from quietmove.referee.process.loop import now
from quietmove.referee.seats.base import Answer, Failure, Turn
from quietmove.referee.seats.process_seat import ProcessSeat


class PlayerSeat(ProcessSeat):
    """A player that receives its colour and the opponent's moves, and writes its own. It is restarted for each game."""

    only_othello = True
    whole_games = True
    passing = "write only its colour"

    @classmethod
    def game_problems(cls, game: str, opening: Sequence[str]) -> Iterator[str]:
        yield from super().game_problems(game, opening)
        if opening:
            yield "opening: must be the initial position in this protocol, so use openings = false"

    async def introduce(self) -> Failure | None:
        ready = f"R {self._letter}"
        self.process.send(f"I {self._letter}")
        deadline = now() + self.config.start_timeout_ms / 1000
        while line := await self._read(deadline):
            if line.text.split() == ready.split():
                return None
        return await self.failure(ready)

    async def think(self, turn: Turn) -> Answer:
        self.process.inbox.begin_turn(forget=False)
        started = now()
        if turn.moves:
            self.process.send(move_line(LETTERS[1 - COLORS.index(self.color)], turn.moves[-1]))
        line = await self._read(self._start_clock(turn, started))
        return self._answer(line, move_of(self._letter, line.text.split()) if line else None, started)

    async def _read(self, deadline: float) -> OutputLine | None:
        """Return the next line that is not a comment, or None if none arrives in time."""
        while line := await self.process.read_line(deadline):
            if line.text.split()[:1] not in ([], [COMMENT]):
                return line
        return None

    @property
    def _letter(self) -> str:
        return LETTERS[COLORS.index(self.color)]
