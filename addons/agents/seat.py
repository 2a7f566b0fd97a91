"""A Gymnasium environment for one player; the opponent is the engine at a chosen level."""

from __future__ import annotations

from typing import Any

import gymnasium

from quietmove.addons.agents.opponent import LevelBatch, LevelPlayer, check_level
from quietmove.addons.agents.table import ILLEGAL_REWARD, RENDER_MODES, Observation, Table, check_render_mode
from quietmove.engine.common.errors import ArgumentError
from quietmove.engine.errors import IllegalMoveError, PositionError
from quietmove.engine.games.optional import HiddenCards
from quietmove.engine.games.othello.game import Othello

__all__ = ["SeatEnv"]


class SeatEnv(gymnasium.Env[Observation, Any]):
    """A Gymnasium environment for a game against an engine level.

    A step is a move and the opponent's reply; a forced pass is an ordinary move.

    Actions and observations are as in :class:`quietmove.environments.GameEnv`. The reward is 0 until the game is over,
    and then 1 for a win, 0 for a draw, -1 for a loss. An illegal action ends the game with -1 and sets
    ``info["illegal"]``. ``info`` contains the observation's ``action_mask``, the learner's ``side``, and the ``moves``
    so far.

    :param game: see :func:`quietmove.environments.env`.
    :param level: the opponent's level, 0 to 20; ``random`` for random moves, or ``self`` for self-play, in which each
        step is a move by the side to move and the reward is for that side.
    :param side: 0 to play first, 1 to play second, or None to choose randomly for each game.
    """

    metadata = {"render_modes": list(RENDER_MODES), "render_fps": 2}  # noqa: RUF012 (Gymnasium declares it)

    def __init__(
        self, game: str, level: int | str = 5, side: int | None = None, render_mode: str | None = None
    ) -> None:
        self.render_mode = check_render_mode(render_mode)
        if side not in (None, 0, 1):
            raise ArgumentError(f"side: must be 0, 1 or None, not {side!r}")
        self._level = check_level(level)
        self._fixed_side = side
        self._table = Table(game)
        self._opponent: LevelBatch | LevelPlayer | None = None
        if isinstance(level, int):
            played = self._table.game
            if isinstance(played, Othello):
                self._opponent = LevelBatch(1, level, played.size)
            else:
                self._opponent = LevelPlayer(played.name, level)
        self._side = side or 0
        self.observation_space = self._table.observation_space
        self.action_space = self._table.action_space

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Start a game. If the opponent plays first, it makes its move.

        :param seed: the seed for the side, dice and deals, and the opponent's random choices.
        :param options: ``{"fen": …}`` starts from a position in the format of :attr:`quietmove.Position.fen`.
        :raises PositionError: if the position is invalid, or the game ends before the learner's first move.
        """
        super().reset(seed=seed)
        drawn = int(self.np_random.integers(2))
        self._side = drawn if self._fixed_side is None else self._fixed_side
        self._table.begin(int(self.np_random.integers(2**31)), options)
        if self._opponent is not None:
            self._opponent.begin(int(self.np_random.integers(2**31)))
        self._reply()
        if self._table.position.is_over():
            raise PositionError(f"position: the game must not end before your first move: {self._table.start!r}")
        observation = self._seen()
        return observation, self._info(observation)

    def step(self, action: Any) -> tuple[Observation, float, bool, bool, dict[str, Any]]:
        """Make a move, and let the opponent reply."""
        table = self._table
        mover = self._table.position.side_to_move if self._level == "self" else self._side
        try:
            table.play(action)
        except IllegalMoveError:
            observation = self._seen()
            return observation, ILLEGAL_REWARD, True, False, {**self._info(observation), "illegal": True}
        self._reply()
        is_over = table.position.is_over()
        observation = self._seen()
        return observation, table.rewards[mover] if is_over else 0.0, is_over, False, self._info(observation)

    def _reply(self) -> None:
        """Let the opponent move until it is the learner's turn or the game is over."""
        if self._level == "self":
            return
        table = self._table
        while (legal := table.position.legal_moves()) and table.position.side_to_move != self._side:
            if self._opponent is None:
                table.make(legal[int(self.np_random.integers(len(legal)))])
            elif isinstance(self._opponent, LevelBatch):
                position: Any = table.position
                table.make(self._opponent.choose(position.black, position.white, position.side_to_move))
            else:
                game, side = table.game, table.position.side_to_move
                view = game.view(table.position, side) if isinstance(game, HiddenCards) else None
                move = self._opponent.choose(table.moves, table.start, view)
                table.make(game.parse_move(table.position, move))

    def _seen(self) -> Observation:
        if self._level == "self":
            self._side = self._table.position.next_player
        if self.render_mode == "human":
            self.render()
        return self._table.observe(self._side)

    def _info(self, seen: Observation) -> dict[str, Any]:
        return {"action_mask": seen["action_mask"], "side": self._side, "moves": tuple(self._table.moves)}

    def action_masks(self) -> Any:
        """Return a boolean array of the legal actions, for sb3-contrib's MaskablePPO."""
        return self._table.observe(self._side)["action_mask"].astype(bool)

    def render(self) -> Any:
        """Print the board in ``human`` mode; return it as text (``ansi``) or pixels (``rgb_array``)."""
        return self._table.render(self.render_mode)
