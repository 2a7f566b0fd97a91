"""A conversation with an engine, line by line and byte by byte: what every protocol's examinations are made of."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Any, Generic, Self, TypeVar, cast

from quietmove.addons.check.subject import Situation, Subject
from quietmove.engine.common.text import printable
from quietmove.engine.errors import GameError
from quietmove.engine.games.base import Game
from quietmove.referee.config.model import EngineConfig, TimeControl
from quietmove.referee.errors import RefereeError
from quietmove.referee.game.record import wire_coordinates
from quietmove.referee.process.line_process import LineProcess
from quietmove.referee.process.loop import now
from quietmove.referee.seats import Listener, create_seat
from quietmove.referee.seats.base import shortened
from quietmove.referee.seats.process_seat import ProcessSeat

ILLEGAL = "an illegal move"  # a cause: the answer is no legal move
LATE = "its move"  # a cause: the move does not come in time

DIALOGUE_LINES = 40  # the last lines of a dialogue that are kept as evidence
STDERR_LINES = 20  # the last lines of standard error
LINE_LENGTH = 400  # characters of such a line

SeatType = TypeVar("SeatType", bound=ProcessSeat)


@dataclass(frozen=True, slots=True)
class FailureDetails:
    """What an examination saw of an engine that failed it.

    :param moves: the moves that led to the last position that it was asked about, as the game writes them.
    :param legal: the legal moves there, as the engine spells them; empty if it was asked about none.
    :param dialogue: the last lines that went to the engine (``>``) and came from it (``<``), with the seconds since the
        dialogue began.
    :param stderr: the last lines of its standard error.
    """

    moves: tuple[str, ...]
    legal: tuple[str, ...]
    dialogue: tuple[str, ...]
    stderr: tuple[str, ...]


def evidence_of(
    config: EngineConfig, situation: Situation | None, game: Game, dialogue: Sequence[str], stderr: str
) -> FailureDetails:
    """Return what a dialogue shows, cut to the length of an evidence.

    :param situation: the last position that the engine was asked about.
    """
    moves = sorted(situation.position.legal_moves()) if situation else []
    spell = wire_coordinates(config).write
    return FailureDetails(
        situation.moves if situation else (),
        tuple(spell(game.grid, game.format_move(move)) for move in moves),
        tuple(printable(line, LINE_LENGTH) for line in [*dialogue][-DIALOGUE_LINES:]),
        tuple(printable(line, LINE_LENGTH) for line in stderr.splitlines()[-STDERR_LINES:]),
    )


class FaultError(RefereeError):
    """The engine did something that its protocol does not allow.

    The text says what must be, or is the rest of a sentence that begins with the engine's name.

    :ivar cause: a text that is equal for faults with one cause, in whichever examination they are found; by default the
        text of the error.
    :ivar evidence: what was seen, where the conversation of the examination has not seen it.
    """

    def __init__(self, text: str, cause: str = "", evidence: FailureDetails | None = None) -> None:
        super().__init__(text)
        self.cause = cause or text
        self.evidence = evidence


class NoGreetingError(FaultError):
    """The engine did not get as far as its greeting, so nothing can be examined."""


class NotExaminedError(RefereeError):
    """It cannot be examined so: the engine lacks the option, or its game has no such position."""


class UnfinishedError(NotExaminedError):
    """It was not examined for lack of time, or because the engine did not get as far."""


# An examination takes a conversation and returns what it saw; it raises a FaultError or a NotExaminedError. A command
# line names it by the name of the function, with `-` for `_`; the first line of the docstring is its help.
Examination = Callable[[Any], Awaitable[str]]


def name_of(examination: Examination) -> str:
    """Return the word by which a command line names an examination."""
    return examination.__name__.strip("_").replace("_", "-")


class Talk(ABC, Generic[SeatType]):
    """A conversation with a new process of the engine; a context manager, after whose block the process has ended.

    It raises a NoGreetingError where the engine cannot be started or does not answer its greeting. A subclass says how
    the engine is asked and made to think in its protocol.

    :cvar quit_line: ends the engine; empty if the protocol has none.
    :cvar new_game_line: begins another game; empty if the protocol has none.
    :cvar question_form: a line that an engine at rest answers at once, with a place for the question's number.
    :cvar answer_form: the words that its answer begins with.
    :cvar think_seconds: how long the engine may go on with :meth:`long_search` after it was told to end.
    :cvar in_seconds: whether the protocol counts time in whole seconds.
    :cvar quick: a limit with which every engine of the protocol moves at once.
    :ivar asked: the last question.
    :ivar introduction: the lines by which it answered its greeting.
    :ivar situation: the last position that it was asked about.
    :ivar ready_ms: milliseconds from its start to the end of the greeting.
    :ivar last_turn: the time after which the games of an examination are broken off.
    """

    quit_line = ""
    new_game_line = ""
    question_form = ""
    answer_form = ""
    think_seconds = 0.0
    in_seconds = True
    quick = TimeControl(depth=1)
    asked = ""
    number = 0
    ready_ms = 0.0
    situation: Situation | None = None
    last_turn = math.inf

    def __init__(self, subject: Subject) -> None:
        self.subject = subject
        self._began = now()
        self._dialogue: deque[str] = deque(maxlen=DIALOGUE_LINES)
        self.seat = cast("SeatType", create_seat(self.config(), subject.game.name))
        self.introduction: list[str] = []

    async def __aenter__(self) -> Self:
        started = now()
        try:
            await self.greet()
        except BaseException as error:
            await self.seat.end(patient=False)
            if isinstance(error, FaultError):
                raise NoGreetingError(str(error), evidence=self.evidence()) from None
            raise
        self.ready_ms = (now() - started) * 1000
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.seat.end(patient=False)

    # ---- what a protocol says

    def config(self) -> EngineConfig:
        return self.subject.config

    async def greet(self) -> None:
        """Start the engine, do what comes before everything else, and wait until it answers its question.

        :raises FaultError: if it does not.
        """

        def keep_introduction(direction: str, line: str) -> None:
            self._keep(direction, line)
            if direction == "<":
                self.introduction.append(line.strip())

        self.seat.listener = Listener(keep_introduction)
        if failure := await self.seat.launch() or await self.seat.introduce():
            raise FaultError(failure.detail)
        self.seat.listener = Listener()
        self.process.begin_game(self._keep)
        if self.new_game_line:
            await self.ask(self.subject.start_seconds)

    def _keep(self, direction: str, line: str) -> None:
        self._dialogue.append(f"{now() - self._began:.3f} {direction} {line}")

    def evidence(self) -> FailureDetails:
        """Return what was seen of the engine until now."""
        subject = self.subject
        return evidence_of(subject.config, self.situation, subject.game, self._dialogue, self.seat.stderr)

    def question(self) -> str:
        """Return a line that an engine at rest answers at once, with a number of its own; it is :attr:`asked`."""
        self.number += 1
        self.asked = self.question_form.format(self.number)
        return self.asked

    def is_answer(self, text: str) -> bool:
        """Tell whether a line answers the last :meth:`question`."""
        return f"{text} ".startswith(f"{self.answer_form.format(self.number)} ")

    @abstractmethod
    def short_search(self, situation: Situation) -> list[str]:
        """Return the lines that ask for a move, in a search as short as the protocol can say."""

    @abstractmethod
    def long_search(self) -> list[str]:
        """Return the lines that ask for a move in the initial position, which should take some seconds at least."""

    @abstractmethod
    def move_of(self, text: str) -> str | None:
        """Return the move that a line answers with, as the game writes it; None if it answers with none."""

    # ---- lines

    @property
    def process(self) -> LineProcess:
        """The engine's process."""
        return self.seat.process

    def send(self, *lines: str) -> None:
        self.process.inbox.begin_turn(forget=False)
        self.process.send(*lines)

    async def line(self, seconds: float) -> str | None:
        """Return the next line, None if none comes within ``seconds``."""
        line = await self.process.read_line(now() + seconds)
        return line.text.strip() if line else None

    async def wait_for(self, wanted: Callable[[str], bool], what: str, seconds: float | None = None) -> list[str]:
        """Return the lines up to the one that is ``wanted``, by default within the time for what takes no thought.

        :param what: a description of that line for an error.
        :raises FaultError: if it does not come.
        """
        seconds = self.subject.within if seconds is None else seconds
        deadline = now() + seconds
        lines = []
        while (line := await self.line(deadline - now())) is not None:
            lines.append(line)
            if wanted(line):
                return lines
        failure = await self.seat.failure(what, seconds)
        raise FaultError(failure.detail, what if failure.reason == "stall" else "")

    async def answered(self, seconds: float | None = None) -> list[str]:
        """Wait for the answer to the last question; return the lines before it."""
        return (await self.wait_for(self.is_answer, f"the answer to {quoted(self.asked)}", seconds))[:-1]

    async def ask(self, seconds: float | None = None) -> list[str]:
        """Ask the question and wait for its answer; return the lines before it."""
        self.send(self.question())
        return await self.answered(seconds)

    async def quiet_until_answer(self, after: str) -> None:
        """Ask the question; no move may come before the answer.

        :raises FaultError: if one does, which nobody asked for.
        """
        if moves := self.moves_among(await self.ask(self.subject.start_seconds)):
            raise FaultError(f"sent {quoted(moves[0])} after {after}, which asks for no move")

    def moves_among(self, lines: Sequence[str]) -> list[str]:
        return [text for text in lines if self.move_of(text) is not None]

    async def searched(self, situation: Situation) -> list[str]:
        """Return the lines of a search up to its answer, which is a legal move.

        :raises FaultError: if it does not come or is not legal.
        """
        self.situation, seconds = situation, self.subject.start_seconds
        lines = await self.wait_for(lambda text: self.move_of(text) is not None, LATE, seconds)
        self.check_move(situation, lines[-1])
        return lines

    async def plays(self, situation: Situation) -> str:
        """Ask for a move by a short search, check that it is legal, and return the line that answers.

        :raises FaultError: as :meth:`searched`.
        """
        self.send(*self.short_search(situation))
        return (await self.searched(situation))[-1]

    def check_move(self, situation: Situation, line: str) -> None:
        """Check that a line answers with a move that is legal.

        :raises FaultError: if it does not.
        """
        self.situation = situation
        try:
            self.subject.game.parse_move(situation.position, self.move_of(line) or "")
        except GameError as error:
            raise FaultError(f"answered {quoted(line)} {situation.where}: {error}", ILLEGAL) from None


def quoted(text: str) -> str:
    """Return what an engine wrote in quotes, without control characters and of bounded length."""
    return ascii(shortened(text))
