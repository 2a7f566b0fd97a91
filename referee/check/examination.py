"""Examinations of an engine, one after another, and what comes out."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from quietmove.engine.printable import printable
from quietmove.referee.check import PROTOCOLS
from quietmove.referee.check.subject import Subject
from quietmove.referee.check.talk import Examination, FaultError, NoGreetingError, NotExaminedError
from quietmove.referee.process.loop import RefereeLoop

__all__ = ["Outcome", "Status", "examine"]

Status = Literal["ok", "FAIL", "skip", "info"]
MAX_TEXT = 400  # characters of an outcome


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came out of an examination.

    :param text: what was seen, what is wrong, or why it was not examined.
    :param seconds: that it took.
    """

    name: str
    status: Status
    text: str
    seconds: float = 0.0


def examine(subject: Subject, examinations: Sequence[Examination]) -> Iterator[Outcome]:
    """Run the examinations and yield what came out of each.

    After an engine has failed to answer its greeting the others are skipped.
    """
    is_there = True
    with asyncio.Runner(loop_factory=RefereeLoop) as runner:
        for row in examinations:
            outcome = Outcome(row.name, "skip", "the engine did not answer its greeting")
            if is_there:
                outcome, is_there = runner.run(_run(row, subject))
            yield outcome


async def _run(row: Examination, subject: Subject) -> tuple[Outcome, bool]:
    """Run one examination; return what came out, and whether the engine answered its greeting."""
    started = time.monotonic()
    is_there = True
    status: Status = "info" if row.informs else "ok"
    try:
        async with PROTOCOLS[subject.config.protocol].talk(subject) as talk:
            text = await row.run(talk)
    except NotExaminedError as error:
        status, text = "skip", str(error)
    except FaultError as error:
        status, text = "FAIL", str(error)
        is_there = not isinstance(error, NoGreetingError)
    return Outcome(row.name, status, printable(text, MAX_TEXT), time.monotonic() - started), is_there
