"""Examinations of an engine, one after another, and their outcomes: as documents for programs and as text.

An examination is a function of a protocol's module and a row of that module's list. A protocol is a module with a
:class:`~quietmove.addons.check.talk.Talk` and a list, and a row of :data:`PROTOCOLS`.
"""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import Iterator, Sequence
from contextlib import AsyncExitStack, suppress
from dataclasses import asdict, dataclass
from typing import Any, Literal, NamedTuple

from quietmove.addons.check import gtp, json_lines, nboard, project, uci
from quietmove.addons.check.subject import Subject
from quietmove.addons.check.talk import (
    Examination,
    FailureDetails,
    FaultError,
    NoGreetingError,
    NotExaminedError,
    Talk,
    UnfinishedError,
    name_of,
)
from quietmove.engine.common.errors import QuietmoveError
from quietmove.engine.common.text import printable
from quietmove.engine.games.base import Game
from quietmove.referee.process.loop import RefereeLoop, now
from quietmove.referee.seats.process_seat import UNFLUSHED

Status = Literal["ok", "FAIL", "skip", "info"]
PARTICULARS = re.compile(r"'[^']*'|\d+| before [^;]*")  # faults that differ in these alone have one cause
INFORMING = ("same-answer",)  # these examinations find no faults, they inform
MAX_TEXT = 400  # characters of an outcome
LAST_TURN_SECONDS = 5.0  # seconds for the last move of a game that is broken off


class Protocol(NamedTuple):
    """A protocol's conversation and its examinations."""

    talk: type[Talk[Any]]
    examinations: tuple[Examination, ...]


PROTOCOLS = {
    "uci": Protocol(uci.UciTalk, uci.EXAMINATIONS),
    "project": Protocol(project.ProjectTalk, project.EXAMINATIONS),
    "ugi": Protocol(uci.UciTalk, uci.EXAMINATIONS),
    "gtp": Protocol(gtp.GtpTalk, gtp.EXAMINATIONS),
    "nboard": Protocol(nboard.NBoardTalk, nboard.EXAMINATIONS),
    "json": Protocol(json_lines.JsonTalk, json_lines.EXAMINATIONS),
}


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came out of an examination.

    :param text: what was seen, what is wrong, or why it was not examined.
    :param seconds: the time that it took.
    :param evidence: what was seen of an engine that failed.
    :param applies: False if there is nothing to examine: the engine lacks the option, or its game has no such position.
    """

    name: str
    status: Status
    text: str
    seconds: float = 0.0
    evidence: FailureDetails | None = None
    applies: bool = True


def examine(subject: Subject, examinations: Sequence[Examination]) -> Iterator[Outcome]:
    """Run the examinations and yield what came out of each."""
    examiner = Examiner(subject)
    with asyncio.Runner(loop_factory=RefereeLoop) as runner:
        for row in examinations:
            yield runner.run(examiner.run(row))


class Examiner:
    """Examines one engine, and knows what came out before.

    Examinations are skipped once an engine has failed to answer its greeting, and once the time is up: each may take
    three quarters of what is left. An examination that fails for the cause of an earlier failure is reported as skipped
    too.
    """

    def __init__(self, subject: Subject) -> None:
        self._subject = subject
        self._end = time.monotonic() + subject.at_most_ms / 1000
        self._broken = ""  # the examination in which the engine did not answer its greeting, or with a first move
        self._has_answered = False  # True once anything has come from it
        self._failed: dict[str, str] = {}  # the cause of a fault: the examination that failed first by it

    async def run(self, row: Examination) -> Outcome:
        started = time.monotonic()
        name = name_of(row)
        status: Status = "info" if name in INFORMING else "ok"
        evidence, applies = None, True
        try:
            text = await self._examine(row, (self._end - started) * 3 / 4)
        except NotExaminedError as error:
            status = "skip"
            text = str(error)
            applies = isinstance(error, UnfinishedError)
        except FaultError as error:
            (status, text), evidence = self._judge(name, error), error.evidence
        return Outcome(name, status, printable(text, MAX_TEXT), time.monotonic() - started, evidence, applies)

    async def _examine(self, row: Examination, seconds: float) -> str:
        """Start the engine and run one examination, for so many seconds at most; return what it saw.

        :raises FaultError, NotExaminedError: if it fails, or is not finished.
        """
        if self._broken:
            raise UnfinishedError(f"not examined, because {self._broken} failed")
        total = f"{self._subject.at_most_ms / 1000:g} s for all examinations"
        if seconds <= 0:
            raise UnfinishedError(f"not examined, because the {total} were over")
        try:
            async with AsyncExitStack() as stack, asyncio.timeout(seconds):
                talk = PROTOCOLS[self._subject.config.protocol].talk(self._subject)
                talk.last_turn = now() + max(seconds / 2, seconds - LAST_TURN_SECONDS)
                await stack.enter_async_context(talk)  # the stack ends its process, after this time
                try:
                    return await row(talk)
                except FaultError as error:
                    error.evidence = error.evidence or talk.evidence()
                    raise
                finally:
                    self._has_answered = self._has_answered or not talk.seat.is_silent
        except TimeoutError:
            raise UnfinishedError(f"not finished within {seconds:.1f} s, its part of the {total}") from None

    def _judge(self, name: str, error: FaultError) -> tuple[Status, str]:
        """Return what comes out of an examination in which the engine was at fault."""
        self._broken = name if isinstance(error, NoGreetingError) else ""
        text = str(error).removesuffix(UNFLUSHED) if self._has_answered else str(error)
        first = self._failed.setdefault(PARTICULARS.sub("", error.cause), name)
        return ("FAIL", text) if first == name else ("skip", f"fails as {first} does: {text}")


def document(subject: Subject, outcomes: Sequence[Outcome]) -> dict[str, Any]:
    """Return what `check --json` prints."""
    return {
        "command": subject.config.command,
        "protocol": subject.config.protocol,
        "game": subject.game.name,
        "examinations": [{**asdict(each), "seconds": round(each.seconds, 3)} for each in outcomes],
    }


def results(game: Game, outcomes: Sequence[Outcome]) -> dict[str, Any]:
    """Return the results in the form that Gradescope's autograder reads (``results.json``).

    Each examination is a test of one point. One that does not apply to the engine has no points, and neither has one
    that only informs. One that was skipped after a failure, or for lack of time, has failed.
    """
    tests = [_test(game, each) for each in outcomes]
    passed = sum(test.get("score", 0) for test in tests)
    return {
        "score": passed,
        "execution_time": round(sum(each.seconds for each in outcomes), 1),
        "output_format": "text",
        "tests": tests,
        "leaderboard": [{"name": "examinations passed", "value": passed}],
    }


def refused_results(reason: str) -> dict[str, Any]:
    """Return such results for an engine that cannot be examined."""
    failed = {"name": "start", "score": 0, "max_score": 1, "status": "failed", "output": printable(reason)}
    return {"score": 0, "output_format": "text", "tests": [failed], "leaderboard": []}


def _test(game: Game, outcome: Outcome) -> dict[str, Any]:
    found = {"name": outcome.name, "output": f"{outcome.status}: {outcome.text}", "output_format": "text"}
    if outcome.evidence:
        found["output"] += f"\n\n{evidence_text(game, outcome.evidence)}"
    if outcome.status == "info" or not outcome.applies:
        return found
    passed = outcome.status == "ok"
    return {**found, "score": int(passed), "max_score": 1, "status": "passed" if passed else "failed"}


def evidence_text(game: Game, evidence: FailureDetails) -> str:
    """Return the board, the legal moves, the dialogue and the standard error, each with a title."""
    parts = []
    if evidence.legal:
        parts.append(f"Moves so far: {' '.join(evidence.moves) or 'none'}")
        position = game.initial()
        with suppress(QuietmoveError):  # a game whose first position is dealt has no moves from the initial one
            for move in evidence.moves:
                position.play(game.parse_move(position, move))
            parts.append(game.draw(position))
        parts.append(f"Legal: {', '.join(evidence.legal)}")
    titles = {"Dialogue, > to the program, < from it:": evidence.dialogue, "Standard error:": evidence.stderr}
    parts += ["\n".join([title, *lines]) for title, lines in titles.items() if lines]
    return "\n\n".join(parts)
