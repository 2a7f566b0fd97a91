"""Long games are kept in the store move by move, so that they go on where they stood when a run was stopped."""

from __future__ import annotations

from quietmove.referee.config.model import GameSpec
from quietmove.referee.game.observer import Clocks, Observer
from quietmove.referee.game.record import MoveRecord
from quietmove.referee.seats import get_seat
from quietmove.tournament.store.store import Store

__all__ = ["LONG_MS", "MoveKeeper", "is_long"]

LONG_MS = 60_000
MOVES = 30  # about as many as an engine makes in a game of Othello


def is_long(spec: GameSpec, above_ms: int = LONG_MS) -> bool:
    """Tell whether a game is kept: one of its engines has more than ``above_ms`` milliseconds for 30 moves.

    A game without a time limit is not: it comes out the same only from its beginning, for an engine that is started
    anew has lost its table. Nor is one with a player that cannot be set into the middle of a game.
    """
    players = spec.black, spec.white
    longest = max(player.limit.time_ms(MOVES) or 0 for player in players)
    return longest > above_ms and not any(get_seat(player.protocol).whole_games for player in players)


class MoveKeeper(Observer):
    """Writes each move of a game into the store."""

    def __init__(self, store: Store, number: int, known: int) -> None:
        """Keep the moves after the first ``known`` plies of the game with this number."""
        self._store = store
        self._number = number
        self._known = known

    def move_made(self, ply: int, move: MoveRecord, clocks: Clocks) -> None:
        """Write the move."""
        if ply > self._known:
            self._store.keep(self._number, ply, move)
