"""Many games of Othello at once as a vector environment of Gymnasium, whose rules are compiled."""

from __future__ import annotations

from typing import Any

import numpy as np
from gymnasium.spaces import Box, Dict, Discrete
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space

from quietmove.addons.agents.opponent import LevelPlayer, check_level
from quietmove.addons.agents.table import ILLEGAL_REWARD, LARGEST, Observation
from quietmove.engine.common.errors import ArgumentError
from quietmove.engine.games.othello.board import PASS
from quietmove.engine.games.othello.many_boards import ILLEGAL, OVER, ManyBoards
from quietmove.engine.games.othello.notation import format_board, format_square

__all__ = ["OthelloVectorEnv"]

SQUARES = {format_square(move, 8): move for move in range(PASS + 1)}


class OthelloVectorEnv(VectorEnv[Observation, Any, Any]):
    """Othello ``num_envs`` times, each like ``Quietmove/Othello-v0``.

    After a game is over, the next step begins another one, and its action is not looked at (Gymnasium's ``NEXT_STEP``).
    The arrays of an observation are those of the environment, which the next step overwrites: keep a copy.

    :param num_envs: how many games.
    :param level: of the opponent, 0 to 20; ``random`` or ``self``, at which a game's step takes less than a
        microsecond, where a level searches for each reply.
    :param side: as for :class:`quietmove.environments.SeatEnv`.
    """

    metadata = {"autoreset_mode": AutoresetMode.NEXT_STEP}  # noqa: RUF012 (Gymnasium declares it)

    def __init__(self, num_envs: int = 1, level: int | str = 5, side: int | None = None, game: str = "othello") -> None:
        if game != "othello":
            raise ArgumentError(f"game: must be othello in the vector form, not {game!r}")
        if side not in (None, 0, 1):
            raise ArgumentError(f"side: must be 0, 1 or None, not {side!r}")
        self.num_envs = num_envs
        self._level = check_level(level)
        self._fixed_side = side
        self.single_action_space = Discrete(PASS + 1)
        self.single_observation_space = Dict(
            {"observation": Box(0, LARGEST, (8, 8, 2), np.int8), "action_mask": Box(0, 1, (PASS + 1,), np.int8)}
        )
        self.action_space = batch_space(self.single_action_space, num_envs)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self._boards: Any = ManyBoards(num_envs)
        self._sides = np.zeros(num_envs, np.int64)
        self._ended = np.zeros(num_envs, np.uint8)
        self._moves = np.zeros(num_envs, np.int64)
        self._planes = np.zeros((num_envs, 8, 8, 2), np.int8)
        self._masks = np.zeros((num_envs, PASS + 1), np.int8)
        self._opponents = [LevelPlayer("othello", level) for _ in range(num_envs)] if isinstance(level, int) else []

    def reset(self, *, seed: Any = None, options: dict[str, Any] | None = None) -> tuple[Observation, dict[str, Any]]:
        """Begin all games; everything that follows depends on ``seed``, a whole number, and the actions alone."""
        super().reset(seed=seed)
        self._boards.seed(int(self.np_random.integers(2**31)))
        self._begin(np.ones(self.num_envs, np.uint8))
        return self._observation(), {}

    def step(self, actions: Any) -> tuple[Observation, Any, Any, Any, dict[str, Any]]:
        """Make a move in each game, and the opponents' replies.

        :param actions: as many whole numbers as there are games.
        :raises ArgumentError: if they are not.
        """
        moves = np.ascontiguousarray(actions, np.int64)
        if moves.shape != (self.num_envs,):
            raise ArgumentError(f"actions: must be of the shape ({self.num_envs},), not {moves.shape}")
        fresh = (self._ended != 0).astype(np.uint8)
        going = 1 - fresh
        if fresh.any():
            self._begin(fresh)
        self._boards.play(moves, going, self._ended)
        if self._level != "self":
            self._reply(going)
        rewards = np.zeros(self.num_envs)
        for game in np.flatnonzero(self._ended):
            rewards[game] = self._reward(int(game))
        return self._observation(), rewards, self._ended != 0, np.zeros(self.num_envs, bool), {}

    def random_actions(self) -> Any:
        """Return a random legal action of each game, much faster than ``action_space.sample`` does."""
        moves = np.zeros(self.num_envs, np.int64)
        self._boards.choose(moves)
        return moves

    def _begin(self, wanted: Any) -> None:
        games = np.flatnonzero(wanted)
        for game in games:
            self._boards.begin(game)
        self._ended[games] = 0
        drawn = self.np_random.integers(2, size=len(games)) if self._fixed_side is None else self._fixed_side
        self._sides[games] = drawn
        for opponent in (self._opponents[game] for game in games if self._opponents):
            opponent.begin(int(self.np_random.integers(2**31)))
        if self._level != "self":
            self._reply((wanted & self._sides).astype(np.uint8))

    def _reply(self, wanted: Any) -> None:
        """Make the opponents' moves in the ``wanted`` games that go on."""
        going = (wanted & (self._ended == 0)).astype(np.uint8)
        if self._opponents:
            for game in np.flatnonzero(going):
                own, opp = self._boards.discs(game)
                black, white = (own, opp)[:: -1 if (side := self._boards.side(game)) else 1]
                self._moves[game] = SQUARES[self._opponents[game].choose((), format_board(black, white, side, 8))]
        else:
            self._boards.choose(self._moves)
        self._boards.play(self._moves, going, self._ended)

    def _reward(self, game: int) -> float:
        """Return what the end of a game is worth to the learner, in self-play to who moved last."""
        if self._ended[game] == ILLEGAL:
            return ILLEGAL_REWARD
        assert self._ended[game] == OVER
        score = self._boards.score(game)
        side = self._boards.side(game)
        learner = 1 - side if self._level == "self" else int(self._sides[game])
        return float((score > 0) - (score < 0)) * (1.0 if learner == side else -1.0)

    def _observation(self) -> Observation:
        self._boards.observe(self._planes, self._masks)
        return {"observation": self._planes, "action_mask": self._masks}
