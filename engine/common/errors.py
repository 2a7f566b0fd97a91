"""The root of all errors that are raised on purpose; the engine, the referee and the tournament have trees below it."""

from __future__ import annotations

from collections.abc import Iterable

__all__ = ["QuietmoveError"]


class QuietmoveError(Exception):
    """The root of all errors whose message is meant for the user.

    :ivar problems: one line for each thing that is wrong; together they are the message.
    """

    status = 2  # the exit status: 2 for wrong usage or input, 1 for what could not be done

    def __init__(self, problems: str | Iterable[str]) -> None:
        self.problems = (problems,) if isinstance(problems, str) else tuple(problems)
        super().__init__("\n".join(self.problems))


class ArgumentError(QuietmoveError, ValueError):
    """A value that a function for scripts does not take."""
