"""An OpenSpiel bot that plays at an engine level, and conversions between OpenSpiel states and positions.

Supported games are ``othello``, ``connect_four`` of any size and ``tic_tac_toe``. In these, OpenSpiel's actions equal
this package's move numbers, and a pass is an action.
"""

from __future__ import annotations

import re
from typing import Any

try:
    import pyspiel
except ModuleNotFoundError:
    raise ImportError("quietmove.environments.open_spiel needs OpenSpiel: pip install open_spiel") from None

from quietmove.addons.agents.opponent import LevelPlayer, check_level
from quietmove.engine.api import Position, as_position
from quietmove.engine.common.errors import ArgumentError
from quietmove.engine.errors import PositionError, UnknownGameError
from quietmove.engine.games.registry import get_game

__all__ = ["QuietmoveBot", "to_position", "to_state"]

SAME = {"othello": "othello", "tic_tac_toe": "tictactoe"}
SIZES = {(7, 6, 4): "connect4", (4, 4, 3): "connect"}  # (columns, rows, line length) of named games


class QuietmoveBot(pyspiel.Bot):
    """A player for ``pyspiel.evaluate_bots`` and other programs that take a bot.

    The bot replays each state's whole history, so it does not need to be informed of actions.

    :param level: 0 to 20; level 20 searches a million nodes per move.
    :param seed: the seed for the level's random choices; each game uses the next seed.
    :raises ArgumentError: if there is no such level.
    """

    def __init__(self, level: int = 5, seed: int = 0) -> None:
        pyspiel.Bot.__init__(self)
        if check_level(level) in ("random", "self"):
            raise ArgumentError(f"level: must be an integer, not {level!r}")
        self._level, self._seed = level, seed
        self._game = ""
        self._player: LevelPlayer | None = None

    def restart(self) -> None:
        """Start a new game."""
        self._seed += 1
        self._player = None

    def restart_at(self, state: Any) -> None:
        """Start a new game. The state is ignored, because :meth:`step` receives it again."""
        self.restart()

    def inform_action(self, state: Any, player_id: int, action: int) -> None:
        """Do nothing: the next state contains the action."""

    def step(self, state: Any) -> int:
        """Return the current player's action.

        :raises UnknownGameError: if the game is not supported.
        """
        position = to_position(state)
        if self._player is None or position.game != self._game:
            self._game = position.game
            self._player = LevelPlayer(self._game, self._level)
            self._player.begin(self._seed)
        move = self._player.choose(position.moves)
        return _number(position, move)


def to_position(state: Any) -> Position:
    """Convert an OpenSpiel state to a position, including its moves.

    :raises UnknownGameError: if its game is not supported.
    """
    game = get_game(_our_game(state.get_game()))
    return Position(game.name, moves=[game.format_move(action) for action in state.history()])


def to_state(position: Position) -> Any:
    """Convert a position to an OpenSpiel state with the same moves.

    :raises UnknownGameError: if its game is not supported.
    :raises PositionError: if it was set up rather than reached by moves from the start of the game.
    """
    position = as_position(position)
    state = pyspiel.load_game(_their_game(position.game)).new_initial_state()
    if position.known_to_the_side_to_move() is not None:
        raise PositionError(
            "position: must have been reached by moves from the start of the game, since a state stores its history"
        )
    followed = Position(position.game)
    for move in position.moves:
        state.apply_action(_number(followed, move))
        followed.push(move)
    return state


def _number(position: Position, move: str) -> int:
    """Return the action number of a legal move."""
    return get_game(position.game).parse_move(position._position, move)


def _our_game(game: Any) -> str:
    name = game.get_type().short_name
    given = game.get_parameters()
    if name in SAME:
        return SAME[name]
    if name != "connect_four":
        raise UnknownGameError(f"game: must be one of {', '.join([*SAME, 'connect_four'])}, not {name!r}")
    size = tuple(given[key] for key in ("columns", "rows", "x_in_row"))
    return SIZES.get(size) or "connect {}x{}x{}".format(*size)


def _their_game(name: str) -> str:
    theirs = {ours: each for each, ours in SAME.items()}
    if name in theirs:
        return theirs[name]
    named = {ours: size for size, ours in SIZES.items()}
    size = named.get(name) or tuple(re.findall(r"\d+", name)) if name.startswith("connect") else ()
    if not size:
        raise UnknownGameError(
            f"game: must be one of {', '.join([*theirs, 'connect4', 'connect CxRxN'])}, not {name!r}"
        )
    columns, rows, length = size
    return f"connect_four(columns={columns},rows={rows},x_in_row={length})"
