"""Checks for players that speak JSON: one line per turn and no other output."""

from __future__ import annotations

from quietmove.addons.check.common import ENDS, GAMES, MOVES, WRITES
from quietmove.addons.check.subject import Situation
from quietmove.addons.check.talk import ILLEGAL, FaultError, Talk, quoted
from quietmove.engine.errors import GameError
from quietmove.referee.clock import Clock
from quietmove.referee.config.model import COLORS, EngineConfig, TimeControl
from quietmove.referee.seats.base import Answer, Turn
from quietmove.referee.seats.json_seat import JsonSeat

THINK_SECONDS = 3


class JsonTalk(Talk[JsonSeat]):
    """A conversation in JSON lines, one request and one reply at a time.

    :meth:`question` requests a game's first move.
    """

    think_seconds = float(THINK_SECONDS)
    in_seconds = False

    def config(self) -> EngineConfig:
        return self.subject.limited(self.subject.brisk(TimeControl(movetime_ms=1000 * THINK_SECONDS)))

    def question(self) -> str:
        (line,) = self.short_search(self.subject.start())
        self.asked = "the first turn"
        return line

    def is_answer(self, text: str) -> bool:
        return True

    def short_search(self, situation: Situation) -> list[str]:
        self.seat.color = situation.color
        clocks = {color: Clock(self.seat.config.limit, 0) for color in COLORS}
        return [self.seat.request_line(Turn(situation.moves, clocks, situation.view))]

    def long_search(self) -> list[str]:
        return [self.question()]

    def move_of(self, text: str) -> str | None:
        return self.seat.move_of(text) or text

    def check_move(self, situation: Situation, line: str) -> None:
        """Check that a reply contains a legal move. Errors are worded as in a game.

        :raises FaultError: if the reply contains no legal move.
        """
        move = self.seat.move_of(line)
        error = None
        try:
            if move is not None:
                self.subject.game.parse_move(situation.position, move)
                return
        except GameError as caught:
            error = caught
        objection = self.seat.objection(situation.position, Answer(line, move, 0.0), error)
        raise FaultError(f"answered {quoted(line)} {situation.where}, {objection}", ILLEGAL)


async def first_move(talk: JsonTalk) -> str:
    """Ask for the first move of a game; the reply must be a legal move."""
    return quoted(await talk.plays(talk.subject.start()))


EXAMINATIONS = (first_move, *WRITES, *ENDS, *MOVES, *GAMES)
