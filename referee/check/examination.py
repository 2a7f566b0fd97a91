"""Examinations of an engine, one after another: rows with their functions, what those raise, and what comes out.

RefereeError
└── ExaminationError            an examination that did not end well; its text says why
    ├── FaultError              the engine did something that its protocol does not allow
    │   └── NoGreetingError     it did not get as far as its greeting, so nothing can be examined
    └── NotExaminedError        it cannot be examined so: it lacks the option, or its game has no such position
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Literal

from quietmove.engine.printable import printable
from quietmove.referee.check.subject import Subject
from quietmove.referee.errors import RefereeError
from quietmove.referee.process.loop import RefereeLoop

__all__ = [
    "Examination",
    "ExaminationError",
    "FaultError",
    "NoGreetingError",
    "NotExaminedError",
    "Outcome",
    "Status",
    "examine",
    "shown",
]

Status = Literal["ok", "FAIL", "skip", "info"]
SHOWN = 80  # characters of an engine's line that an outcome repeats
MAX_TEXT = 400  # characters of an outcome


class ExaminationError(RefereeError):
    """An examination that did not end well."""


class FaultError(ExaminationError):
    """The engine did something wrong; the text is the rest of a sentence that begins with the engine's name."""


class NoGreetingError(FaultError):
    """The engine did not answer its greeting."""


class NotExaminedError(ExaminationError):
    """The engine cannot be examined so; the text says why."""


@dataclass(frozen=True, slots=True)
class Examination:
    """One row of a protocol's list.

    :param name: one word, by which a command line names it.
    :param run: examines the engine and returns what it saw; raises an :class:`ExaminationError`. The first line of its
        docstring is its help.
    :param informs: whether what it sees is no fault, whatever it is.
    """

    name: str
    run: Callable[[Subject], Awaitable[str]]
    informs: bool = False

    @property
    def help(self) -> str:
        """What is examined, for a person."""
        return (self.run.__doc__ or "").partition("\n")[0]


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


def shown(text: str) -> str:
    """Return what an engine wrote in quotes, without control characters and of bounded length."""
    return ascii(text if len(text) <= SHOWN else text[: SHOWN - 3] + "...")


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
