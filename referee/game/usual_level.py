"""How strong the engine plays against a person who has not said it, in the terminal and on the page."""

from __future__ import annotations

from functools import lru_cache

from quietmove.engine.errors import LimitsError
from quietmove.engine.games.base import Game
from quietmove.engine.games.registry import GAMES_KEPT
from quietmove.engine.levels import DEFAULT_LEVEL, FULL_STRENGTH

AT_ONCE = 20_000  # nodes that solve a small game from its start, in a hundredth of a second


@lru_cache(maxsize=GAMES_KEPT)
def usual_level(game: Game) -> int:
    """Return the level of an opponent whose level nobody has chosen.

    In a game that is solved at once, by a theory or by a search, it never errs.
    """
    if game.theory(game.initial()):
        return FULL_STRENGTH
    from quietmove.engine.solver import Solver  # the search: most games that are judged need none

    try:
        is_solved = game.kind == "perfect" and Solver(game.initial(), AT_ONCE).value() is not None
    except LimitsError:  # the game has no bounded end
        is_solved = False
    return FULL_STRENGTH if is_solved else DEFAULT_LEVEL
