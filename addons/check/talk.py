"""A conversation with an engine in lines and bytes, on which every protocol's checks are built."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Generic, NamedTuple, Self, TypeVar, cast

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

ILLEGAL = "an illegal move"  # cause: the reply is not a legal move
LATE = "its move"  # cause: the move does not arrive in time

DIALOGUE_LINES = 40  # number of last lines of the dialogue kept as evidence
STDERR_LINES = 20  # number of last lines of standard error kept as evidence
LINE_LENGTH = 400  # maximum length of a line of evidence, in characters

SeatType = TypeVar("SeatType", bound=ProcessSeat)


@dataclass(frozen=True, slots=True)
class FailureDetails:
    """Evidence from a failed check.

    :param moves: the moves to the last position the engine was asked about, in the game's notation.
    :param legal: the legal moves there in the engine's notation; empty if it was not asked about a position.
    :param dialogue: the last lines to the engine (``>``) and from it (``<``), with the seconds since the dialogue
        started.
    :param stderr: the last lines of its standard error.
    """

    moves: tuple[str, ...]
    legal: tuple[str, ...]
    dialogue: tuple[str, ...]
    stderr: tuple[str, ...]


def evidence_of(
    config: EngineConfig, situation: Situation | None, game: Game, dialogue: Sequence[str], stderr: str
) -> FailureDetails:
    """Return the evidence from a dialogue, shortened.

    :param situation: the last position the engine was asked about.
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

    The text names the requirement, or completes a sentence that starts with the engine's name.

    :ivar cause: the same text for all faults with one cause, across checks; by default the error's text.
    :ivar evidence: the evidence, if it does not come from the check's own conversation.
    """

    def __init__(self, text: str, cause: str = "", evidence: FailureDetails | None = None) -> None:
        super().__init__(text)
        self.cause = cause or text
        self.evidence = evidence


class NoGreetingError(FaultError):
    """The engine failed during its handshake, so nothing can be checked."""


class NotExaminedError(RefereeError):
    """The check does not apply: the engine lacks the option, or its game has no such position."""


class UnfinishedError(NotExaminedError):
    """The check did not run or finish, for lack of time or because of an earlier failure."""


# A check takes a conversation and returns its observation; it raises a FaultError or a NotExaminedError. Its name on
# the command line is the function's name with `-` for `_`; the first line of its docstring is its help text.
Examination = Callable[[Any], Awaitable[str]]


def name_of(examination: Examination) -> str:
    """Return the command-line name of a check."""
    return examination.__name__.strip("_").replace("_", "-")


class Talk(ABC, Generic[SeatType]):
    """A conversation with a new engine process. It is a context manager; when it exits, the process has ended.

    Entering raises a NoGreetingError if the engine does not start or complete its handshake. Subclasses define how the
    engine is asked questions and made to search in its protocol.

    :cvar quit_line: the line that ends the engine, or "" if the protocol has none.
    :cvar new_game_line: the line that starts a new game, or "" if the protocol has none.
    :cvar question_form: a line that an idle engine answers immediately, with a placeholder for the question's number.
    :cvar answer_form: the start of the answer to such a line.
    :cvar think_seconds: the time for which the engine may continue a :meth:`long_search` after it was told to exit.
    :cvar in_seconds: whether the protocol's times are whole seconds.
    :cvar quick: a limit with which every engine of the protocol moves immediately.
    :ivar asked: the last question.
    :ivar introduction: the lines of the engine's handshake.
    :ivar situation: the last position the engine was asked about.
    :ivar ready_ms: the time from the start to the end of the handshake, in milliseconds.
    :ivar last_turn: the time after which the games of a check are aborted.
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

    # ---- defined by each protocol

    def config(self) -> EngineConfig:
        return self.subject.config

    async def greet(self) -> None:
        """Start the engine, complete the handshake, and wait for the answer to a first question.

        :raises FaultError: if the answer does not arrive.
        """
        is_introduced = False

        def keep_line(direction: str, line: str) -> None:
            self._keep(direction, line)
            if direction == "<" and not is_introduced:
                self.introduction.append(line.strip())

        self.seat.listener = Listener(keep_line)
        if failure := await self.seat.launch() or await self.seat.introduce():
            raise FaultError(failure.detail)
        is_introduced = True
        self.seat.listener = Listener()
        if self.new_game_line:
            await self.ask(self.subject.start_seconds)

    def _keep(self, direction: str, line: str) -> None:
        self._dialogue.append(f"{now() - self._began:.3f} {direction} {line}")

    def evidence(self) -> FailureDetails:
        """Return the evidence collected so far."""
        subject = self.subject
        return evidence_of(subject.config, self.situation, subject.game, self._dialogue, self.seat.stderr)

    def question(self) -> str:
        """Return a numbered line that an idle engine answers immediately, and store it in :attr:`asked`."""
        self.number += 1
        self.asked = self.question_form.format(self.number)
        return self.asked

    def is_answer(self, text: str) -> bool:
        """Return whether a line answers the last :meth:`question`."""
        return f"{text} ".startswith(f"{self.answer_form.format(self.number)} ")

    @abstractmethod
    def short_search(self, situation: Situation) -> list[str]:
        """Return the lines that request a move with the shortest search the protocol allows."""

    @abstractmethod
    def long_search(self) -> list[str]:
        """Return the lines that request a move in the initial position with a search of at least some seconds."""

    @abstractmethod
    def move_of(self, text: str) -> str | None:
        """Return the move in a reply, in the game's notation, or None if the reply contains no move."""

    # ---- lines

    @property
    def process(self) -> LineProcess:
        """The engine's process."""
        return self.seat.process

    def send(self, *lines: str) -> None:
        self.process.inbox.begin_turn(forget=False)
        self.process.send(*lines)

    async def line(self, seconds: float) -> str | None:
        """Return the next line, or None if none arrives within ``seconds``."""
        line = await self.process.read_line(now() + seconds)
        return line.text.strip() if line else None

    async def wait_for(self, wanted: Callable[[str], bool], what: str, seconds: float | None = None) -> list[str]:
        """Wait for a line that is ``wanted``, and return the lines up to it.

        :param what: a description of the wanted line for error messages.
        :param seconds: the time limit, by default the limit for actions without a search.
        :raises FaultError: if the line does not arrive.
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
        """Ask the next question and wait for its answer; return the lines before it."""
        self.send(self.question())
        return await self.answered(seconds)

    async def quiet_until_answer(self, after: str) -> None:
        """Ask the next question and check that no move arrives before the answer.

        :raises FaultError: if an unrequested move arrives.
        """
        if moves := self.moves_among(await self.ask(self.subject.start_seconds)):
            raise FaultError(f"sent {quoted(moves[0])} after {after}, which does not ask for a move")

    def moves_among(self, lines: Sequence[str]) -> list[str]:
        return [text for text in lines if self.move_of(text) is not None]

    async def searched(self, situation: Situation) -> list[str]:
        """Return the lines of a search up to its reply, after checking that the reply is a legal move.

        :raises FaultError: if no reply arrives, or its move is not legal.
        """
        self.situation, seconds = situation, self.subject.start_seconds
        lines = await self.wait_for(lambda text: self.move_of(text) is not None, LATE, seconds)
        self.check_move(situation, lines[-1])
        return lines

    async def plays(self, situation: Situation) -> str:
        """Request a move with a short search, check that it is legal, and return the line of the reply.

        :raises FaultError: as :meth:`searched`.
        """
        self.send(*self.short_search(situation))
        return (await self.searched(situation))[-1]

    def check_move(self, situation: Situation, line: str) -> None:
        """Check that a reply contains a legal move.

        :raises FaultError: if the reply contains no legal move.
        """
        self.situation = situation
        try:
            self.subject.game.parse_move(situation.position, self.move_of(line) or "")
        except GameError as error:
            raise FaultError(f"answered {quoted(line)} {situation.where}: {error}", ILLEGAL) from None


def quoted(text: str) -> str:
    """Quote an engine's output, without control characters and with bounded length."""
    return ascii(shortened(text))


class Protocol(NamedTuple):
    """A protocol's conversation class and its list of checks.

    :param optional: the checks that need an ability that the protocol calls optional, each with the check of this
        ability, which may be itself.
    """

    talk: type[Talk[Any]]
    examinations: tuple[Examination, ...]
    optional: Mapping[Examination, Examination] = MappingProxyType({})
