"""Every error that the engine raises on purpose.

A message names the thing, what is allowed and what came, so that it can be shown to a person as it is::

    QuietmoveError
    ├── GameError
    │   ├── UnknownGameError     no game has that name
    │   ├── PositionError        a text that describes no position of the game
    │   ├── NotationError        a text that is no move of the game in any notation
    │   ├── IllegalMoveError     a move of the game, but not one that may be made here
    │   └── GameFileError        a file of played games that cannot be read, or a game in it that cannot be replayed
    ├── OptionError              no option has that name, or the option does not take that value
    │   ├── WeightsError         a file that holds no weights for the evaluator
    │   └── BookError            a file that holds no opening book of the game, or a book that cannot be built
    ├── LimitsError              search limits that contradict each other or are out of bounds
    ├── DatabaseError            a file that holds no database of games, or cannot be used
    ├── SuiteError               a file of positions with known values that cannot be read
    ├── TrainingError            a file of games or positions that cannot be read, or a run that cannot go on
    ├── WorkerError              a worker process ended before its work was done
    ├── ThreadError              the system allows no further thread
    ├── OutputError              standard output cannot be written
    └── BusyError                what must wait until the running search has ended
"""

from __future__ import annotations

from quietmove.engine.common.errors import QuietmoveError


class GameError(QuietmoveError):
    """Something about a game, a position or a move."""


class UnknownGameError(GameError):
    """No game has that name."""


class PositionError(GameError):
    """A text that describes no position of the game.

    :ivar field: index of the wrong field, or of the first missing one; None if the game cannot say.
    """

    def __init__(self, message: str, field: int | None = None) -> None:
        super().__init__(message)
        self.field = field


class NotationError(GameError):
    """A text that is no move of the game in any notation it reads."""


class IllegalMoveError(GameError):
    """A move of the game that may not be made in this position."""


class GameFileError(GameError):
    """A file of played games that cannot be read, or a game in it that cannot be replayed."""


class OptionError(QuietmoveError):
    """An option that does not exist, or a value it does not take."""


class WeightsError(OptionError):
    """A file that cannot be read, or holds no weights for the evaluator."""


class BookError(OptionError):
    """A file that cannot be read, or holds no opening book of the game, or a book that cannot be built."""


class LimitsError(QuietmoveError):
    """Search limits that contradict each other or are out of bounds."""


class DatabaseError(QuietmoveError):
    """A file that holds no database of games, or one that cannot be read or written."""


class SuiteError(QuietmoveError):
    """A file of positions with known values that cannot be read, or a line of it that is wrong."""


class TrainingError(QuietmoveError):
    """A file of games or positions that cannot be read, or a run of training that cannot go on."""


class WorkerError(QuietmoveError):
    """A worker process that ended before its work was done."""

    status = 1


class BusyError(QuietmoveError):
    """Something that must wait until the running search has ended."""


class ThreadError(QuietmoveError):
    """A thread of a search that could not be started: the system allows no further one."""


class OutputError(QuietmoveError):
    """Standard output cannot be written."""

    status = 1
