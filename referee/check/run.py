"""Runs examinations one after another, each with processes of its own."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Sequence

from quietmove.engine.printable import printable
from quietmove.referee.check.examination import (
    Examination,
    FaultError,
    NoGreetingError,
    NotExaminedError,
    Outcome,
    Status,
)
from quietmove.referee.check.subject import Subject
from quietmove.referee.process.loop import RefereeLoop

__all__ = ["examine"]

MAX_TEXT = 400  # characters of an outcome


def examine(
    subject: Subject, examinations: Sequence[Examination], on_outcome: Callable[[Outcome], None]
) -> list[Outcome]:
    """Run the examinations and return what came out of each; ``on_outcome`` is told as soon as it is known.

    After an engine has failed to answer its greeting the others are skipped.

    :raises SetupError: if it cannot be started.
    """
    with asyncio.Runner(loop_factory=RefereeLoop) as runner:
        return runner.run(_examine(subject, examinations, on_outcome))


async def _examine(
    subject: Subject, examinations: Sequence[Examination], on_outcome: Callable[[Outcome], None]
) -> list[Outcome]:
    outcomes: list[Outcome] = []
    is_there = True
    for row in examinations:
        if is_there:
            outcome, is_there = await _run(row, subject)
        else:
            outcome = Outcome(row.name, "skip", "the engine did not answer its greeting")
        outcomes.append(outcome)
        on_outcome(outcome)
    return outcomes


async def _run(row: Examination, subject: Subject) -> tuple[Outcome, bool]:
    """Run one examination; return what came out, and whether the engine answered its greeting."""
    started = time.monotonic()
    is_there = True
    status: Status = "info" if row.informs else "ok"
    try:
        text = await row.run(subject)
    except NotExaminedError as error:
        status, text = "skip", str(error)
    except FaultError as error:
        status, text = "FAIL", str(error)
        is_there = not isinstance(error, NoGreetingError)
    return Outcome(row.name, status, printable(text, MAX_TEXT), time.monotonic() - started), is_there
