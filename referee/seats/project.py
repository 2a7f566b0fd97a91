"""A program of the Othello project: line one, then moves in turn, and nothing else.

It is judged as the course's own referee does it: every line that it writes is its move.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from quietmove.engine.protocol.coordinates import PROGRAMS, Numbers
from quietmove.referee.config import EngineConfig
from quietmove.referee.seats.base import Answer, Failure, Turn
from quietmove.referee.seats.process_seat import ProcessSeat
from quietmove.referee.settings import Setting

__all__ = ["ProjectSeat"]

START_SECONDS = 1.0  # not charged for the first answer, since the program cannot say when it is ready


class ProjectSeat(ProcessSeat):
    """Lines are taken in the order in which they came: a line that came too early is the next answer."""

    settings = (
        Setting(
            "coordinates", "slide", "slide: 1-8, row from the bottom; zero: 0-7, row from the top", tuple(PROGRAMS)
        ),
        Setting("unit", "s", "the unit of the times in line one", ("s", "ms")),
    )

    whole_games = True

    _has_answered = False

    @classmethod
    def problems(cls, config: EngineConfig) -> Iterator[str]:
        """Refuse what line one of the protocol cannot say."""
        yield from super().problems(config)
        limit = config.limit
        if config.options:
            yield "protocol=project has no options; put them into the command"
        if limit.nodes is not None or limit.increment_ms or limit.moves is not None:
            yield f"protocol=project cannot say {limit}; allowed: depth=N, movetime=MILLISECONDS, tc=SECONDS"
        elif config.setting("unit") == "s" and (limit.movetime_ms or limit.base_ms or 0) % 1000:
            yield (
                f"{limit} is no whole number of seconds, which protocol=project sends; "
                "use unit=ms if the engine counts in milliseconds"
            )

    @classmethod
    def refusals(cls, game: str, opening: Sequence[str]) -> Iterator[str]:
        """Refuse every game but Othello, and every opening."""
        if game != "othello":
            yield f"protocol=project plays othello, not {game}"
        elif opening:
            yield (
                "protocol=project plays from the initial position only; "
                f"the opening {' '.join(opening)} cannot be set up"
            )

    async def _begin_first_game(self) -> Failure | None:
        if self.color == "white":  # Black moves at once after line one, so that line is sent when Black's clock starts
            self.process.send(self._line_one())
        return None

    async def think(self, turn: Turn) -> Answer:
        """Send the opponent's move, or line one, and read the one line that is the answer."""
        self.process.begin_turn(forget=False)
        started = self._now()
        if not self._has_answered:
            started += START_SECONDS
            self._has_answered = True
        self.process.send(self._to_wire(turn.moves[-1]) if turn.moves else self._line_one())
        line = await self.process.read_line(started + self._patience(turn))
        return self._answer(line, self.from_wire(line.text.strip()) if line else None, started)

    def _line_one(self) -> str:
        limit = self.config.limit
        unit_ms = 1000 if self.config.setting("unit") == "s" else 1
        move_limit, game_limit = ((milliseconds or 0) // unit_ms for milliseconds in (limit.movetime_ms, limit.base_ms))
        return f"game {self.color[0].upper()} {limit.depth or 0} {move_limit} {game_limit}"

    def _to_wire(self, move: str) -> str:
        return self._coordinates.write(self.grid, move)

    def from_wire(self, text: str) -> str | None:
        """Return the canonical text of the move, or None if ``text`` is none in this player's coordinates."""
        return text if text == "pass" else self._coordinates.read(self.grid, text)

    @property
    def _coordinates(self) -> Numbers:
        return PROGRAMS[str(self.config.setting("coordinates"))]
