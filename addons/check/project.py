"""Checks for programs of the Othello project, which receive line one and then only exchange moves."""

from __future__ import annotations

from quietmove.addons.check.common import ENDS, GAMES, WRITES
from quietmove.addons.check.subject import Situation, situation_of
from quietmove.addons.check.talk import (
    ILLEGAL,
    FaultError,
    NoGreetingError,
    NotExaminedError,
    Talk,
    quoted,
)
from quietmove.engine.errors import GameError
from quietmove.engine.protocol.notation import PROGRAMS, without_comment
from quietmove.referee.config.model import EngineConfig
from quietmove.referee.process.loop import now
from quietmove.referee.seats.base import Answer
from quietmove.referee.seats.process_seat import debug_hint
from quietmove.referee.seats.project import ProjectSeat

THINK_SECONDS = 3
OPENING = ("d3", "c3", "c4")  # opening moves in line one; White moves next
FIRST_MOVE = "d3"  # Black's first move, sent to a program without line one


class ProjectTalk(Talk[ProjectSeat]):
    """A conversation that consists of one game. Its only question is line one for Black, and the answer is a move.

    Without line one the program plays White, and the question is Black's first move.
    """

    think_seconds = float(THINK_SECONDS)

    @property
    def has_line_one(self) -> bool:
        """Whether the program receives its colour and limits in line one."""
        return self.seat.setting("line") == "one"

    def config(self) -> EngineConfig:
        return self.subject.limited(self.subject.brisk(self.quick))

    async def greet(self) -> None:
        self.question_form = self.seat.line_one("black")
        if not self.has_line_one:
            self.seat.color, self.question_form = "white", self.seat.to_wire(FIRST_MOVE)
        await super().greet()

    async def line(self, seconds: float) -> str | None:
        deadline = now() + seconds
        while (text := await super().line(deadline - now())) is not None and not without_comment(text):
            pass
        return text

    async def answered(self, seconds: float | None = None) -> list[str]:
        return await super().answered(seconds or self.subject.start_seconds)

    def asks_in(self) -> Situation:
        """Return the position in which the question asks the program for a move."""
        start = self.subject.start()
        if self.has_line_one:
            return start
        start.position.play(self.subject.game.parse_move(start.position, FIRST_MOVE))
        return situation_of(self.subject.game, start.position, [FIRST_MOVE])

    def is_answer(self, text: str) -> bool:
        return True

    def short_search(self, situation: Situation) -> list[str]:
        return [self.question()]

    def long_search(self) -> list[str]:
        if not self.has_line_one:
            return [self.question()]
        seconds = THINK_SECONDS * (1000 if self.seat.setting("unit") == "ms" else 1)
        return [f"game B 0 {seconds} 0"]

    def move_of(self, text: str) -> str | None:
        return self.seat.from_wire(text) or without_comment(text)

    def check_move(self, situation: Situation, line: str) -> None:
        """Check that a line is a legal move. Errors are worded as in a game.

        :raises FaultError: if the line is not a legal move.
        """
        answer = Answer(line, self.seat.from_wire(line), 0.0)
        error = None
        try:
            if answer.move is not None:
                self.subject.game.parse_move(situation.position, answer.move)
                return
        except GameError as caught:
            error = caught
        objection = self.seat.objection(situation.position, answer, error)
        raise FaultError(f"answered {quoted(line)}, {objection}", ILLEGAL)


async def first_move(talk: ProjectTalk) -> str:
    """Send line one for Black or, without line one, Black's first move; the reply must be a legal move."""
    started = now()
    seconds = talk.subject.start_seconds
    talk.situation = situation = talk.asks_in()
    talk.send(talk.question())
    line = await talk.line(seconds)
    if line is None:
        failure = await talk.seat.failure("its first move", seconds)
        raise NoGreetingError(failure.detail)
    game = talk.subject.game
    legal = [game.format_move(move) for move in situation.position.legal_moves()]
    fitting = [name for name in PROGRAMS if PROGRAMS[name].read(talk.seat.grid, without_comment(line)) in legal]
    if fitting and talk.move_of(line) not in legal:
        raise NoGreetingError(f"answered {quoted(line)}, a move in other coordinates; set coordinates={fitting[0]}")
    talk.check_move(situation, line)
    return f"{quoted(line)} after {(now() - started) * 1000:.0f} ms"


async def white_waits(talk: ProjectTalk) -> str:
    """Send line one for White or, without line one, nothing; the program must stay silent."""
    if talk.has_line_one:
        talk.send(talk.seat.line_one("white"))
    return await silent(talk, "as White, before Black had moved")


async def no_limit(talk: ProjectTalk) -> str:
    """Send line one with all limits 0; the reply must be a legal move."""
    if not talk.has_line_one:
        raise NotExaminedError("does not apply without line one")
    talk.send("game B 0 0 0")
    await talk.searched(talk.subject.start())
    return "a legal move"


async def only_moves(talk: ProjectTalk) -> str:
    """Wait after the program's move; the program must write nothing more."""
    await talk.plays(talk.asks_in())
    return await silent(talk, "after its move")


async def silent(talk: ProjectTalk, when: str) -> str:
    """Wait a moment and check that the program writes nothing."""
    if line := await talk.line(talk.subject.within):
        hint = "" if talk.seat.from_wire(line) else debug_hint(talk.subject.config.command)
        raise FaultError(f"wrote {quoted(line)} {when}{hint}", ILLEGAL)
    return f"nothing in {talk.subject.within_ms} ms"


async def opening(talk: ProjectTalk) -> str:
    """Send line one with opening moves; the reply must be a legal move after them."""
    if talk.seat.setting("openings") == "none":
        raise NotExaminedError("does not apply without openings=line")
    situation = talk.subject.start()
    for move in OPENING:
        situation.position.play(talk.subject.game.parse_move(situation.position, move))
    talk.send(talk.seat.line_one("white", OPENING))
    await talk.searched(situation_of(talk.subject.game, situation.position, [*OPENING]))
    return f"a legal move after {' '.join(OPENING)}"


EXAMINATIONS = (first_move, opening, white_waits, no_limit, only_moves, *WRITES, *ENDS, *GAMES)
