"""Quietmove: an Othello engine with a line protocol, a referee that judges its games and a tournament that rates it.

The three parts are :mod:`quietmove.engine`, :mod:`quietmove.referee` and :mod:`quietmove.tournament`. In a checkout
they are the folders of these names at the top; here they are symbolic links.

For scripts and notebooks this package offers what :mod:`quietmove.engine.api`, :mod:`quietmove.engine.tools.notebook`
and :mod:`quietmove.referee.api` describe:

>>> import quietmove
>>> position = quietmove.Position("othello", moves="f5 d6")
>>> quietmove.analyse(position, depth=4).best_move in position.legal_moves()
True
"""

from __future__ import annotations

from quietmove.common import VERSION

TYPE_CHECKING = False  # typing is not imported: it would double the time in which Ctrl-C prints a traceback
if TYPE_CHECKING:
    from typing import Any

    from quietmove.common.errors import QuietmoveError
    from quietmove.engine.api import Analysis, Info, Position, analyse, games
    from quietmove.engine.tools.notebook import LabReport, Trace, lab, trace
    from quietmove.referee.api import Adjudication, EngineError, EngineProcess, Reply, play_game, player

__version__ = VERSION
__all__ = [
    "Adjudication",
    "Analysis",
    "EngineError",
    "EngineProcess",
    "Info",
    "LabReport",
    "Position",
    "QuietmoveError",
    "Reply",
    "Trace",
    "__version__",
    "analyse",
    "games",
    "lab",
    "play_game",
    "player",
    "trace",
]
MODULES = {
    "QuietmoveError": "quietmove.common.errors",
    **dict.fromkeys(
        ("Adjudication", "EngineError", "EngineProcess", "Reply", "play_game", "player"),
        "quietmove.referee.api",
    ),
    **dict.fromkeys(("LabReport", "Trace", "lab", "trace"), "quietmove.engine.tools.notebook"),
}


def __getattr__(name: str) -> Any:
    """Import the interface for scripts when it is first used, so that a command's start does not wait for it."""
    if name not in __all__:
        from quietmove.common.text import did_you_mean

        raise AttributeError(f"module {__name__!r} has no attribute {name!r}{did_you_mean(name, __all__)}")
    from importlib import import_module

    return getattr(import_module(MODULES.get(name, "quietmove.engine.api")), name)


def __dir__() -> list[str]:
    return sorted(__all__)
