"""The errors that the referee raises on purpose. A broken engine is a result and none of these.

::

    QuietmoveError
    └── RefereeError
        ├── SetupError              a game, an engine or a file is described wrongly; lists everything that is wrong
        ├── GameInterruptedError    the game was stopped from outside and has no result
        ├── StartError              an engine of a match of two did not start, twice in one game
        ├── PauseError              the referee stood still while a clock ran; the game has no result
        └── ShortageError           the machine cannot give a process, a thread, a pipe or memory now
"""

from __future__ import annotations

from quietmove.engine.common.errors import QuietmoveError


class RefereeError(QuietmoveError):
    """The root of the referee's own errors."""


class SetupError(RefereeError):
    """A game, an engine or a file that is described wrongly; the user must correct it."""


class GameInterruptedError(RefereeError):
    """The game was stopped from outside: it has no result."""


class PauseError(RefereeError):
    """The referee stood still while an engine's clock ran: it cannot say when the answer came; no result is given."""


class StartError(RefereeError):
    """One of two engines did not start, twice in one game: no game can be played. It may be tried again later."""

    status = 1


class ShortageError(RefereeError):
    """The machine cannot give what a game needs: a process, a thread, a pipe or memory. That is no engine's fault."""

    status = 1
