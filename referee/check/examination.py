"""An examination of an engine: a row with its function, what that may raise, and what comes out.

RefereeError
└── ExaminationError            an examination that did not end well; its text says why
    ├── FaultError              the engine did something that its protocol does not allow
    │   └── NoGreetingError     it did not get as far as its greeting, so nothing can be examined
    └── NotExaminedError        it cannot be examined so: it lacks the option, or its game has no such position
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Literal

from quietmove.referee.check.subject import Subject
from quietmove.referee.errors import RefereeError

__all__ = [
    "Examination",
    "ExaminationError",
    "FaultError",
    "NoGreetingError",
    "NotExaminedError",
    "Outcome",
    "Status",
    "shown",
]

Status = Literal["ok", "FAIL", "skip", "info"]
SHOWN = 80  # characters of an engine's line that an outcome repeats


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
