"""What the referee raises on purpose; a broken engine is a result and never among these.

::

    QuietmoveError
    └── RefereeError
        ├── ConfigError             a game, an engine or a file is described wrongly
        └── GameInterruptedError    the game was broken off from outside and has no result
"""

from __future__ import annotations

from quietmove.engine.errors import QuietmoveError

__all__ = ["ConfigError", "GameInterruptedError", "RefereeError"]


class RefereeError(QuietmoveError):
    """The root of the referee's own errors."""


class ConfigError(RefereeError):
    """A game, an engine or a file that is described wrongly: the user's to mend."""


class GameInterruptedError(RefereeError):
    """The game was broken off from outside: it has no result."""
