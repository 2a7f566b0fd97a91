"""The referee's exceptions. A faulty engine loses the game; only repeated failures to start raise an exception.

::

    QuietmoveError
    ├── EngineError                 an engine asked for a move failed
    └── RefereeError
        ├── SetupError              the description of a game, engine or file is invalid; lists every problem
        ├── GameInterruptedError    the game was stopped from outside and has no result
        ├── StartError              an engine in a two-engine match failed to start twice in one game
        ├── PauseError              the referee was paused while a clock ran; the game has no result
        └── ShortageError           the machine is out of processes, threads, pipes or memory
"""

from __future__ import annotations

from quietmove.engine.common.errors import QuietmoveError


class RefereeError(QuietmoveError):
    """The base class of the referee's exceptions."""


class SetupError(RefereeError):
    """The description of a game, an engine or a file is invalid, and the user must correct it."""


class GameInterruptedError(RefereeError):
    """The game was stopped from outside and has no result."""


class PauseError(RefereeError):
    """The referee was paused while an engine's clock ran. The reply cannot be timed, so the game has no result."""


class StartError(RefereeError):
    """One of two engines failed to start twice in one game, so the match cannot continue. A later retry may succeed."""

    status = 1


class ShortageError(RefereeError):
    """The machine is out of processes, threads, pipes or memory. No engine is at fault."""

    status = 1


class EngineError(QuietmoveError):
    """An engine failed to start, exited, did not reply in time, or replied with something other than a legal move."""
