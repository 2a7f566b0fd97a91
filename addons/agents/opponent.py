"""The opponent of a learning program: an engine level, random moves, or the program itself."""

from __future__ import annotations

from collections.abc import Sequence

from quietmove.engine.common.errors import ArgumentError
from quietmove.engine.games.othello.board import OthelloPosition
from quietmove.engine.games.othello.game import Othello
from quietmove.engine.games.othello.notation import format_board, parse_square
from quietmove.engine.levels import FULL_STRENGTH, LEVELS
from quietmove.engine.protocol.player import Player
from quietmove.engine.search.levels import draw_errors
from quietmove.engine.values import Limits

NODES = 1_000_000  # nodes per move at full strength; its rating was measured with this limit


class LevelPlayer:
    """A player at an engine level, for one game at a time."""

    def __init__(self, game: str, level: int) -> None:
        self._game, self._level, self._seed = game, level, 0
        self._player = Player(game)
        self._player.set_option("Level", str(level))
        self._player.set_option("Hash", "4")

    def begin(self, seed: int) -> None:
        """Start a game; ``seed`` determines all of the level's random choices."""
        self._seed = seed
        self._player.new_game()
        self._player.set_option("Seed", str(seed))

    def __deepcopy__(self, memo: object) -> LevelPlayer:
        """Return a player that chooses the same moves; only at full strength, which keeps a table, they may differ."""
        other = LevelPlayer(self._game, self._level)
        other.begin(self._seed)
        return other

    def choose(self, moves: Sequence[str], start: str = "", view: str | None = None) -> str:
        """Return the level's move after ``moves`` from ``start``, or in ``view``, in the game's notation."""
        if view is None:
            self._player.follow(moves, start)
        else:
            self._player.see(view)
        return self._player.choose(Limits(nodes=NODES))[0]


class LevelBatch:
    """A player at an engine level, for many games of Othello.

    Each game has its own seed and gets the same moves as from a :class:`LevelPlayer`. A level that looks only one move
    ahead chooses without a search, which is eight times as fast.
    """

    def __init__(self, count: int, level: int, size: int = 8) -> None:
        self._level, self._size = level, size
        self._seeds = [0] * count
        self._shallow = LEVELS[level] if level < FULL_STRENGTH and LEVELS[level].depth == 1 else None
        name = Othello(size).name
        self._players = [] if self._shallow else [LevelPlayer(name, level) for _ in range(count)]
        self._position = OthelloPosition(0, 0, 0, size)
        if self._shallow and self._shallow.simple:
            self._position.choose_evaluator("discs")

    def __deepcopy__(self, memo: object) -> LevelBatch:
        other = LevelBatch(len(self._seeds), self._level, self._size)
        for game, seed in enumerate(self._seeds):
            other.begin(seed, game)
        return other

    def begin(self, seed: int, game: int = 0) -> None:
        """Start a new game; ``seed`` determines all of the level's random choices in it."""
        self._seeds[game] = seed
        if self._players:
            self._players[game].begin(seed)

    def choose(self, black: int, white: int, side: int, game: int = 0) -> int:
        """Return the level's move in a position with a legal move."""
        if self._players:
            board = format_board(black, white, side, self._size)
            return parse_square(self._players[game].choose((), board), self._size)
        assert self._shallow is not None
        position = self._position
        position.set_up(black, white, side)
        legal = position.legal_moves()
        considered, errors = draw_errors(self._shallow, self._seeds[game], position, legal, legal)
        return max(considered, key=lambda move: self._value_after(move) + errors[move])

    def _value_after(self, move: int) -> int:
        self._position.play(move)
        value = -self._position.static_value()
        self._position.undo()
        return value


def check_level(level: object) -> int | str:
    """Return ``level`` unchanged if it is a valid level.

    :raises ArgumentError: if there is no such level.
    """
    if level in ("random", "self") or (type(level) is int and 0 <= level <= FULL_STRENGTH):
        return level
    raise ArgumentError(f"level: must be a whole number from 0 to {FULL_STRENGTH}, 'random' or 'self', not {level!r}")
