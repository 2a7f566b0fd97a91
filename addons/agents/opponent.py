"""Who plays against the program that learns: a level of the engine, chance, or the program itself."""

from __future__ import annotations

from collections.abc import Sequence

from quietmove.engine.common.errors import ArgumentError
from quietmove.engine.levels import FULL_STRENGTH
from quietmove.engine.protocol.lines import GoLine
from quietmove.engine.protocol.player import Player

NODES = 1_000_000  # full strength searches so many nodes a move; its rating was measured with them


class LevelPlayer:
    """A level of the engine in one game."""

    def __init__(self, game: str, level: int) -> None:
        self._player = Player(game)
        self._player.set_option("Level", str(level))
        self._player.set_option("Hash", "4")

    def begin(self, seed: int) -> None:
        """Begin a game; all chance of the level follows from ``seed``."""
        self._player.new_game()
        self._player.set_option("Seed", str(seed))

    def choose(self, moves: Sequence[str], start: str = "", view: str | None = None) -> str:
        """Return its move after ``moves`` from ``start``, or where it knows ``view``, as the game writes it."""
        if view is None:
            self._player.follow(moves, start)
        else:
            self._player.see(view)
        return self._player.choose(GoLine(nodes=NODES))[0]


def check_level(level: object) -> int | str:
    """Return the level.

    :raises ArgumentError: if there is none of that name.
    """
    if level in ("random", "self") or (type(level) is int and 0 <= level <= FULL_STRENGTH):
        return level
    raise ArgumentError(f"level: must be a whole number from 0 to {FULL_STRENGTH}, 'random' or 'self', not {level!r}")
