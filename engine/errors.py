"""Exceptions that the engine and its add-ons raise on purpose.

Messages can be shown to the user unchanged: they name the argument, the expected value and the value received::

    QuietmoveError
    ├── GameError
    │   ├── UnknownGameError     no game with this name
    │   ├── PositionError        text that is not a position of the game
    │   ├── NotationError        text that is not a move in any notation of the game
    │   ├── IllegalMoveError     a move that is not legal in this position
    │   └── GameFileError        an unreadable file of games, or a game in it that cannot be replayed
    ├── OptionError              an unknown option, or an invalid value
    │   ├── WeightsError         a file that does not contain weights for the evaluator
    │   └── BookError            a file that is not an opening book, or a book that cannot be built
    ├── LimitsError              search limits that conflict or are out of range
    ├── DatabaseError            a file that is not a game database, or cannot be read or written
    ├── SuiteError               an unreadable file of test positions
    ├── TrainingError            an unreadable training file, or a run that cannot continue
    ├── WorkerError              a worker process that ended early
    ├── ThreadError              the system cannot start another thread
    ├── OutputError              standard output that cannot be written
    └── BusyError                a call that must wait for the end of the search
"""

from __future__ import annotations

from quietmove.engine.common.errors import QuietmoveError


class GameError(QuietmoveError):
    """An invalid game, position or move."""


class UnknownGameError(GameError):
    """An unknown game name."""


class PositionError(GameError):
    """Text that is not a position of the game.

    :ivar field: index of the invalid field or of the first missing one, or None if unknown.
    """

    def __init__(self, message: str, field: int | None = None) -> None:
        super().__init__(message)
        self.field = field


class NotationError(GameError):
    """Text that is not a move in any notation of the game."""


class IllegalMoveError(GameError, ValueError):
    """A move that is not legal in this position."""


class GameFileError(GameError):
    """An unreadable file of games, or a game in it that cannot be replayed."""


class OptionError(QuietmoveError):
    """An unknown option, or an invalid value for one."""


class WeightsError(OptionError):
    """A weights file that cannot be read or does not suit the evaluator."""


class BookError(OptionError):
    """A file that is unreadable or not an opening book of the game, or a book that cannot be built."""


class LimitsError(QuietmoveError):
    """Search limits that conflict or are out of range."""


class DatabaseError(QuietmoveError):
    """A file that is not a game database, or one that cannot be read or written."""


class SuiteError(QuietmoveError):
    """An unreadable file of test positions, or an invalid line in it."""


class TrainingError(QuietmoveError):
    """An unreadable file of games or positions, or a training run that cannot continue."""


class WorkerError(QuietmoveError):
    """A worker process that ended before its work was done."""

    status = 1


class BusyError(QuietmoveError):
    """A call that must wait for the end of the running search."""


class ThreadError(QuietmoveError):
    """A search thread that the system cannot start."""


class OutputError(QuietmoveError):
    """Standard output that cannot be written."""

    status = 1


def require_text(name: str, value: object, error: type[GameError]) -> None:
    """Check that an argument is a string.

    :raises GameError: of the class ``error``, if it is not.
    """
    if not isinstance(value, str):
        raise error(f"{name}: must be a string, not {value!r}")
