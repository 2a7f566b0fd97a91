"""The base class of all errors raised on purpose by the engine, the referee and the tournament."""

from __future__ import annotations

from collections.abc import Iterable

__all__ = ["ArgumentError", "QuietmoveError"]


class QuietmoveError(Exception):
    """Base class of all errors with a message for the user.

    :ivar problems: one line per problem; joined, they form the message.
    """

    status = 2  # the exit status: 2 for invalid usage or input, 1 for a failed operation

    def __init__(self, problems: str | Iterable[str]) -> None:
        self.problems = (problems,) if isinstance(problems, str) else tuple(problems)
        super().__init__("\n".join(self.problems))


class ArgumentError(QuietmoveError, ValueError):
    """An invalid argument to a function of the Python API."""
