"""The engine's default level against a person, in the terminal and on the web page."""

from __future__ import annotations

from functools import lru_cache

from quietmove.engine.errors import LimitsError
from quietmove.engine.games.base import Game
from quietmove.engine.games.optional import Theory
from quietmove.engine.games.registry import GAMES_KEPT
from quietmove.engine.levels import DEFAULT_LEVEL, FULL_STRENGTH

AT_ONCE = 20_000  # node limit of the short search: about 0.01 s, enough to solve a small game from its start


@lru_cache(maxsize=GAMES_KEPT)
def usual_level(game: Game) -> int:
    """Return the default level of an opponent.

    The opponent plays at full strength in games that theory or a short search solves.
    """
    if isinstance(game, Theory):
        return FULL_STRENGTH
    from quietmove.engine.solver import Solver  # imported here because most games need no search

    try:
        is_solved = game.kind == "perfect" and Solver(game.initial(), AT_ONCE).value() is not None
    except LimitsError:  # the game's length is unbounded
        is_solved = False
    return FULL_STRENGTH if is_solved else DEFAULT_LEVEL
