"""Run the checks of an engine in order, and format their outcomes as JSON and as text.

A check is a function in a protocol's module and an entry in that module's list. A protocol is a module with a
:class:`~quietmove.addons.check.talk.Talk` and a list, and an entry in :data:`PROTOCOLS`, to which add-ons can add.
"""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import Iterator, Sequence
from contextlib import AsyncExitStack, suppress
from dataclasses import asdict, dataclass
from typing import Any, Literal

from quietmove.addons.check import json_lines, project, uci
from quietmove.addons.check.subject import Subject
from quietmove.addons.check.talk import (
    ILLEGAL,
    Examination,
    FailureDetails,
    FaultError,
    NoGreetingError,
    NotExaminedError,
    Protocol,
    UnfinishedError,
    name_of,
)
from quietmove.engine.common.addons import added, load_added
from quietmove.engine.common.errors import QuietmoveError
from quietmove.engine.common.text import printable
from quietmove.engine.games.base import Game
from quietmove.referee.process.loop import RefereeLoop, now
from quietmove.referee.seats.process_seat import UNFLUSHED

Status = Literal["ok", "FAIL", "skip", "info"]
PARTICULARS = re.compile(r"'[^']*'|\d+| before [^;]*")  # faults that differ only in these have the same cause
INFORMING = ("same-answer",)  # checks that never fail, but only report
HOOK = "check "  # followed by a protocol's name: the hook by which an add-on adds that protocol's checks
MAX_TEXT = 400  # maximum length of an outcome's text, in characters
LAST_TURN_SECONDS = 5.0  # time in seconds for the last move of an aborted game


PROTOCOLS = {
    "uci": Protocol(uci.UciTalk, uci.EXAMINATIONS, uci.OPTIONAL),
    "project": Protocol(project.ProjectTalk, project.EXAMINATIONS),
    "ugi": Protocol(uci.UciTalk, uci.EXAMINATIONS, uci.OPTIONAL),
    "json": Protocol(json_lines.JsonTalk, json_lines.EXAMINATIONS),
}
PROTOCOLS |= {
    name.removeprefix(HOOK): load_added(location) for name, location in added("hooks").items() if name.startswith(HOOK)
}


@dataclass(frozen=True, slots=True)
class Outcome:
    """The outcome of one check.

    :param text: the observation, the fault, or the reason for skipping.
    :param seconds: the time the check took.
    :param evidence: details for diagnosing a failure.
    :param applies: False if the check does not apply: the engine lacks the option, or the game has no such position.
    """

    name: str
    status: Status
    text: str
    seconds: float = 0.0
    evidence: FailureDetails | None = None
    applies: bool = True


def examine(subject: Subject, examinations: Sequence[Examination]) -> Iterator[Outcome]:
    """Run the checks and yield the outcome of each."""
    examiner = Examiner(subject)
    with asyncio.Runner(loop_factory=RefereeLoop) as runner:
        for row in examinations:
            yield runner.run(examiner.run(row))


class Examiner:
    """Runs one engine's checks, taking earlier outcomes into account.

    Checks are skipped after the engine has failed its handshake, and when time runs out: each check can use three
    quarters of the remaining time. A check that fails for the same cause as an earlier one, or because the engine lacks
    an optional ability, is also reported as skipped.
    """

    def __init__(self, subject: Subject) -> None:
        self._subject = subject
        self._protocol = PROTOCOLS[subject.config.protocol]
        self._end = time.monotonic() + subject.at_most_ms / 1000
        self._broken = ""  # the check in which the engine failed its handshake or its first move
        self._has_answered = False  # whether the engine has written anything
        self._lacks = set[Examination]()  # the checks of optional abilities in which the engine failed
        self._failed: dict[str, str] = {}  # the first check that failed, by cause

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
            if self._is_optional(row, error):
                status, text, applies = "skip", f"optional: {error}", False
            else:
                (status, text), evidence = self._judge(name, error), error.evidence
        return Outcome(name, status, printable(text, MAX_TEXT), time.monotonic() - started, evidence, applies)

    async def _examine(self, row: Examination, seconds: float) -> str:
        """Start the engine and run one check for at most ``seconds``; return its observation.

        :raises FaultError, NotExaminedError: if the check fails, or does not finish.
        """
        if unneeded := _why_unneeded(name_of(row), self._subject):
            raise NotExaminedError(unneeded)  # also after a failure, so that all engines have the same number of checks
        if self._broken:
            raise UnfinishedError(f"not checked, because {self._broken} failed")
        total = f"{self._subject.at_most_ms / 1000:g} s for all checks"
        if seconds <= 0:
            raise UnfinishedError(f"not checked, because the {total} were used up")
        try:
            async with AsyncExitStack() as stack, asyncio.timeout(seconds):
                talk = self._protocol.talk(self._subject)
                talk.last_turn = now() + max(seconds / 2, seconds - LAST_TURN_SECONDS)
                await stack.enter_async_context(talk)  # the stack ends the process, even after a timeout
                try:
                    return await row(talk)
                except FaultError as error:
                    error.evidence = error.evidence or talk.evidence()
                    raise
                finally:
                    self._has_answered = self._has_answered or not talk.seat.is_silent
        except TimeoutError:
            raise UnfinishedError(f"not finished within {seconds:.1f} s, its share of the {total}") from None

    def _is_optional(self, row: Examination, error: FaultError) -> bool:
        """Return whether the engine only lacks an optional ability, and remember that. No engine may crash or cheat."""
        needed = self._protocol.optional.get(row)
        if not needed or needed not in {row, *self._lacks}:
            return False
        if isinstance(error, NoGreetingError) or error.cause == ILLEGAL or str(error).startswith("ended with"):
            return False
        self._lacks.add(needed)
        return True

    def _judge(self, name: str, error: FaultError) -> tuple[Status, str]:
        """Return the status and text of a check in which the engine was at fault.

        Record the fault, so that later checks that fail in the same way are reported as skipped.
        """
        self._broken = name if isinstance(error, NoGreetingError) else ""
        text = str(error).partition(UNFLUSHED)[0] if self._has_answered else str(error)
        first = self._failed.setdefault(PARTICULARS.sub("", error.cause), name)
        return ("FAIL", text) if first == name else ("skip", f"fails as {first} does: {text}")


def _why_unneeded(name: str, subject: Subject) -> str:
    """Return why a check does not apply to an engine with these settings and limit, or "" if it may apply."""
    limit, settings = subject.limit, dict(subject.config.settings)
    needed = {"move-time": "movetime_ms", "game-time": "base_ms"}.get(name)
    if limit and needed and getattr(limit, needed) is None:
        return f"does not apply to games with the limit {limit}"
    if subject.config.protocol != "project":
        return ""
    if name == "opening" and settings.get("openings", "none") == "none":
        return "does not apply without openings=line"
    return "does not apply without line one" if name == "no-limit" and settings.get("line") == "none" else ""


def document(subject: Subject, outcomes: Sequence[Outcome]) -> dict[str, Any]:
    """Return the document that `check --json` prints."""
    return {
        "command": subject.config.command,
        "protocol": subject.config.protocol,
        "game": subject.game.name,
        "examinations": [{**asdict(each), "seconds": round(each.seconds, 3)} for each in outcomes],
    }


def results(game: Game, outcomes: Sequence[Outcome]) -> dict[str, Any]:
    """Return the results in the format of Gradescope's autograder (``results.json``).

    Each check is a test worth one point. A check that does not apply or only informs is worth none. A check skipped
    after a failure, or for lack of time, counts as failed.
    """
    tests = [_test(game, each) for each in outcomes]
    passed = sum(test.get("score", 0) for test in tests)
    return {
        "score": passed,
        "execution_time": round(sum(each.seconds for each in outcomes), 1),
        "output_format": "text",
        "tests": tests,
        "leaderboard": [{"name": "checks passed", "value": passed}],
    }


def refused_results(reason: str) -> dict[str, Any]:
    """Return the same document as :func:`results` for an engine that cannot be checked."""
    failed = {"name": "start", "score": 0, "max_score": 1, "status": "failed", "output": printable(reason)}
    return {"score": 0, "output_format": "text", "tests": [failed], "leaderboard": []}


def _test(game: Game, outcome: Outcome) -> dict[str, Any]:
    test = {"name": outcome.name, "output": f"{outcome.status}: {outcome.text}", "output_format": "text"}
    if outcome.evidence:
        test["output"] += f"\n\n{evidence_text(game, outcome.evidence)}"
    if outcome.status == "info" or not outcome.applies:
        return test
    passed = outcome.status == "ok"
    return {**test, "score": int(passed), "max_score": 1, "status": "passed" if passed else "failed"}


def evidence_text(game: Game, evidence: FailureDetails) -> str:
    """Return the moves so far, the board, the legal moves, the dialogue and standard error, omitting empty parts."""
    parts = []
    if evidence.legal:
        parts.append(f"Moves so far: {' '.join(evidence.moves) or 'none'}")
        position = game.initial()
        with suppress(QuietmoveError):  # in a game that starts with a deal, moves cannot be replayed from the start
            for move in evidence.moves:
                position.play(game.parse_move(position, move))
            parts.append(game.draw(position))
        parts.append(f"Legal: {', '.join(evidence.legal)}")
    titles = {"Dialogue, > to the program, < from it:": evidence.dialogue, "Standard error:": evidence.stderr}
    parts += ["\n".join([title, *lines]) for title, lines in titles.items() if lines]
    return "\n\n".join(parts)
