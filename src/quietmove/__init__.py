"""Quietmove: an Othello engine with a line protocol, a referee that judges its games and a tournament that rates it.

The three parts are :mod:`quietmove.engine`, :mod:`quietmove.referee` and :mod:`quietmove.tournament`. In a checkout
they are the folders with these names at the top level; here they are symbolic links.

This package exports the interface for scripts and notebooks, from :mod:`quietmove.engine.api` and
:mod:`quietmove.referee.api`, and the names that add-ons register:
>>> import quietmove
>>> position = quietmove.Position("othello", moves="f5 d6")
>>> quietmove.analyse(position, depth=4).best_move in position.legal_moves
True
"""

from __future__ import annotations

from quietmove.engine.common import VERSION

TYPE_CHECKING = False  # importing typing would double the start-up time, during which Ctrl-C prints a traceback
if TYPE_CHECKING:
    from typing import Any

    from quietmove import environments as environments
    from quietmove.engine.api import Analysis, Info, Position, analyse, games
    from quietmove.engine.common.errors import QuietmoveError
    from quietmove.engine.games.othello.public_board import Board
    from quietmove.referee.api import Adjudication, EngineError, EngineProcess, Reply, play_game, player

__version__ = VERSION
__all__ = [
    "Adjudication",
    "Analysis",
    "Board",
    "EngineError",
    "EngineProcess",
    "Info",
    "Position",
    "QuietmoveError",
    "Reply",
    "__version__",
    "analyse",
    "games",
    "play_game",
    "player",
]
MODULES = {
    "Board": "quietmove.engine.games.othello.public_board",
    "QuietmoveError": "quietmove.engine.common.errors",
    **dict.fromkeys(
        ("Adjudication", "EngineError", "EngineProcess", "Reply", "play_game", "player"),
        "quietmove.referee.api",
    ),
}


def __getattr__(name: str) -> Any:
    """Import the scripting interface on first use, so that commands start quickly."""
    from importlib import import_module

    from quietmove.engine.common.addons import load, load_added

    if name in __all__:
        return load(f"{MODULES.get(name, 'quietmove.engine.api')}:{name}")
    if name == "environments":  # a package with optional requirements, which programs without it do not load
        return import_module("quietmove.environments")
    if name.startswith("__"):  # tools ask every module for names such as __path__ and __wrapped__
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    if location := _added_names().get(name):
        return load_added(location)
    from quietmove.engine.common.text import did_you_mean

    hint = did_you_mean(name, __dir__())
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}{hint}")


def __dir__() -> list[str]:
    return sorted([*__all__, *_added_names()])


def _added_names() -> dict[str, str]:
    """Return the location of each name that add-ons export here."""
    from quietmove.engine.common.addons import added

    return added("names", core=dict.fromkeys(__all__))
