"""Quietmove: an Othello engine with a line protocol, a referee that judges its games and a tournament that rates it.

The three parts are :mod:`quietmove.engine`, :mod:`quietmove.referee` and :mod:`quietmove.tournament`. In a checkout
they are the folders of these names at the top; here they are symbolic links.

For scripts and notebooks this package offers what :mod:`quietmove.api` describes:

>>> import quietmove
>>> position = quietmove.Position("othello", moves="f5 d6")
>>> quietmove.analyse(position, depth=4).best_move in position.legal_moves()
True
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from quietmove.api import Analysis, Info, Position, analyse, games

__version__ = "0.1.0"
__all__ = ["Analysis", "Info", "Position", "__version__", "analyse", "games"]


def __getattr__(name: str) -> Any:
    """Import the interface for scripts when it is first used, so that a command's start does not wait for it."""
    if name in __all__:
        from quietmove import api

        return getattr(api, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
