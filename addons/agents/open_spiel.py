"""A level of the engine as a bot for OpenSpiel, and OpenSpiel's states as positions and back.

The games that both know are ``othello``, ``connect_four`` of any size and ``tic_tac_toe``. In them an action of
OpenSpiel is the number of a move here, and a pass is an action.
"""

from __future__ import annotations

import re
from typing import Any

try:
    import pyspiel
except ModuleNotFoundError:
    raise ImportError("quietmove.environments.open_spiel needs OpenSpiel: pip install open_spiel") from None

from quietmove.addons.agents.opponent import LevelPlayer, check_level
from quietmove.engine.api import Position, require_position
from quietmove.engine.common.errors import ArgumentError
from quietmove.engine.errors import PositionError, UnknownGameError
from quietmove.engine.games.registry import get_game

__all__ = ["QuietmoveBot", "to_position", "to_state"]

SAME = {"othello": "othello", "tic_tac_toe": "tictactoe"}
SIZES = {(7, 6, 4): "connect4", (4, 4, 3): "connect"}  # columns, rows and cells in a row of the games with a name


class QuietmoveBot(pyspiel.Bot):
    """A player for ``pyspiel.evaluate_bots`` and other programs that take a bot.

    It searches the whole history of a state that it is asked about, so it needs to be told of no action.

    :param level: 0 to 20; the last searches a million nodes a move.
    :param seed: what the level's chance follows from; each game has another of the seeds that begin here.
    :raises ArgumentError: if there is no such level.
    """

    def __init__(self, level: int = 5, seed: int = 0) -> None:
        pyspiel.Bot.__init__(self)
        if check_level(level) in ("random", "self"):
            raise ArgumentError(f"level: must be a whole number, not {level!r}")
        self._level, self._seed = level, seed
        self._game = ""
        self._player: LevelPlayer | None = None

    def restart(self) -> None:
        """Begin another game."""
        self._seed += 1
        self._player = None

    def restart_at(self, state: Any) -> None:
        """Begin another game; the state is looked at in :meth:`step`."""
        self.restart()

    def inform_action(self, state: Any, player_id: int, action: int) -> None:
        """Do nothing: the next state holds the action."""

    def step(self, state: Any) -> int:
        """Return the action of the player who is to move.

        :raises UnknownGameError: if the game is none that both know.
        """
        position = to_position(state)
        if self._player is None or position.game != self._game:
            self._game = position.game
            self._player = LevelPlayer(self._game, self._level)
            self._player.begin(self._seed)
        move = self._player.choose(position.moves)
        return _number(position, move)


def to_position(state: Any) -> Position:
    """Return the position of a state of OpenSpiel, with the moves that led to it.

    :raises UnknownGameError: if its game is none that both know.
    """
    game = get_game(_our_game(state.get_game()))
    return Position(game.name, moves=[game.format_move(action) for action in state.history()])


def to_state(position: Position) -> Any:
    """Return the state of OpenSpiel that the moves of a position lead to.

    :raises UnknownGameError: if its game is none that both know.
    :raises PositionError: if it was set up, and not reached by moves from the start of the game.
    """
    require_position(position)
    state = pyspiel.load_game(_their_game(position.game)).new_initial_state()
    if position.known_to_the_side_to_move() is not None:
        raise PositionError("position: must be reached by moves from the start of the game, since a state is a history")
    followed = Position(position.game)
    for move in position.moves:
        state.apply_action(_number(followed, move))
        followed.play(move)
    return state


def _number(position: Position, move: str) -> int:
    """Return the number of a legal move."""
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
