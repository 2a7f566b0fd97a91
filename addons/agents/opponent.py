"""The opponent of a learning program: an engine level, random moves, or the program itself."""

from __future__ import annotations

from collections.abc import Sequence

from quietmove.engine.common.errors import ArgumentError
from quietmove.engine.levels import FULL_STRENGTH
from quietmove.engine.protocol.lines import GoLine
from quietmove.engine.protocol.player import Player

NODES = 1_000_000  # nodes per move at full strength; its rating was measured with this limit


class LevelPlayer:
    """An engine level playing a game."""

    def __init__(self, game: str, level: int) -> None:
        self._player = Player(game)
        self._player.set_option("Level", str(level))
        self._player.set_option("Hash", "4")

    def begin(self, seed: int) -> None:
        """Start a game; ``seed`` determines all of the level's random choices."""
        self._player.new_game()
        self._player.set_option("Seed", str(seed))

    def choose(self, moves: Sequence[str], start: str = "", view: str | None = None) -> str:
        """Return the level's move after ``moves`` from ``start``, or in ``view``, in the game's notation."""
        if view is None:
            self._player.follow(moves, start)
        else:
            self._player.see(view)
        return self._player.choose(GoLine(nodes=NODES))[0]


def check_level(level: object) -> int | str:
    """Return a validated level.

    :raises ArgumentError: if there is no such level.
    """
    if level in ("random", "self") or (type(level) is int and 0 <= level <= FULL_STRENGTH):
        return level
    raise ArgumentError(f"level: must be a whole number from 0 to {FULL_STRENGTH}, 'random' or 'self', not {level!r}")
