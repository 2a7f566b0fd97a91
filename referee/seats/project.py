"""A program of the Othello project: line one, then moves in turn, and nothing else.

It is judged as the course's own referee does it: every line that it writes is its move.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from quietmove.engine.protocol.coordinates import PROGRAMS, Numbers
from quietmove.referee.config.model import EngineConfig
from quietmove.referee.config.settings import Setting
from quietmove.referee.seats.base import Answer, Failure, Turn
from quietmove.referee.seats.process_seat import ProcessSeat

__all__ = ["ProjectSeat"]


class ProjectSeat(ProcessSeat):
    """Lines are taken in the order in which they came: a line that came too early is the next answer.

    The program cannot say that it is ready. It has started when it has read line one, which is sent to both colours
    before the game begins. Black may think from then on, so its clock runs from then on.
    """

    settings = (
        Setting(
            "coordinates", "slide", "slide: 1-8, row from the bottom; zero: 0-7, row from the top", tuple(PROGRAMS)
        ),
        Setting("unit", "s", "the unit of the times in line one", ("s", "ms")),
    )

    whole_games = True
    only_othello = True

    _started_at = 0.0  # when it was seen to have read line one

    @classmethod
    def problems(cls, config: EngineConfig) -> Iterator[str]:
        """Refuse what line one of the protocol cannot say."""
        yield from super().problems(config)
        limit = config.limit
        if limit.nodes is not None or limit.increment_ms or limit.moves is not None:
            yield f"limit: must be depth=N, movetime=MILLISECONDS or tc=SECONDS for protocol=project, not {limit}"
        elif cls.setting_of(config, "unit") == "s" and (limit.movetime_ms or limit.base_ms or 0) % 1000:
            yield f"limit: must be whole seconds for protocol=project with unit=s (there is unit=ms), not {limit}"

    @classmethod
    def refusals(cls, game: str, opening: Sequence[str]) -> Iterator[str]:
        """Refuse every opening."""
        yield from super().refusals(game, opening)
        if game == "othello" and opening:
            yield f"opening: must be empty with protocol=project, not {' '.join(opening)}"

    async def _begin_first_game(self) -> Failure | None:
        self.process.send(self._line_one())
        in_time = await self.process.wait_read(self._now() + self.config.start_timeout_ms / 1000)
        self._started_at = self._now()
        if self.process.is_closed and not self.process.inbox.has_lines:
            return Failure("crash", await self.process.describe_end(" before its first move"))
        if not in_time:
            return Failure("stall", f"did not read line one within {self.config.start_timeout_ms} ms")
        return None

    async def think(self, turn: Turn) -> Answer:
        """Send the opponent's move, if there is one, and read the one line that is the answer."""
        self.process.inbox.begin_turn(forget=False)
        started = self._started_at
        if turn.moves:
            started = self._now()
            self.process.send(self._to_wire(turn.moves[-1]))
        line = await self.process.read_line(started + self._patience(turn))
        return self._answer(line, self.from_wire(line.text.strip()) if line else None, started)

    def _line_one(self) -> str:
        limit = self.config.limit
        unit_ms = 1000 if self.setting("unit") == "s" else 1
        move_limit, game_limit = ((milliseconds or 0) // unit_ms for milliseconds in (limit.movetime_ms, limit.base_ms))
        return f"game {self.color[0].upper()} {limit.depth or 0} {move_limit} {game_limit}"

    def _to_wire(self, move: str) -> str:
        return self._coordinates.write(self.grid, move)

    def from_wire(self, text: str) -> str | None:
        """Return the canonical text of the move, or None if ``text`` is none in this player's coordinates."""
        return text if text == "pass" else self._coordinates.read(self.grid, text)

    @property
    def _coordinates(self) -> Numbers:
        return PROGRAMS[str(self.setting("coordinates"))]
