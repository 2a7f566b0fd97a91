"""A Gymnasium vector environment that plays many Othello games at once, with compiled rules."""

from __future__ import annotations

from typing import Any

import numpy as np
from gymnasium.spaces import Box, Dict, Discrete
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space

from quietmove.addons.agents.opponent import LevelBatch, check_level
from quietmove.addons.agents.table import (
    ILLEGAL_REWARD,
    LARGEST,
    PICTURE_MODES,
    Observation,
    Table,
    check_render_mode,
    starting_fen,
)
from quietmove.engine.common.errors import ArgumentError
from quietmove.engine.errors import PositionError, UnknownGameError, require_text
from quietmove.engine.games.othello.board import OthelloPosition
from quietmove.engine.games.othello.game import Othello
from quietmove.engine.games.othello.many_boards import ILLEGAL, OVER, ManyBoards
from quietmove.engine.games.othello.notation import format_board
from quietmove.engine.games.registry import get_game

__all__ = ["OthelloVectorEnv"]


class OthelloVectorEnv(VectorEnv[Observation, Any, Any]):
    """A vector environment of ``num_envs`` Othello games, each like ``Quietmove/Othello-v0``.

    The step after the end of a game resets the game and ignores its action (Gymnasium's ``NEXT_STEP``).
    ``info["side"]`` has the shape (num_envs,): the learner's side in each game, or the side to move in self-play.

    :param num_envs: the number of games.
    :param level: the opponent's level, 0 to 20; ``random`` for random moves, or ``self`` for self-play.
    :param side: see :class:`quietmove.environments.SeatEnv`.
    :param copy: whether each step returns new arrays. With False, the next step overwrites them, which saves time if
        you use each observation only once.
    :param render_mode: ``ansi`` or ``rgb_array``: :meth:`render` then returns a tuple with one picture per game.
    """

    metadata = {  # noqa: RUF012 (Gymnasium declares it)
        "autoreset_mode": AutoresetMode.NEXT_STEP,
        "render_modes": list(PICTURE_MODES),
    }

    def __init__(
        self,
        num_envs: int = 1,
        level: int | str = 5,
        side: int | None = None,
        game: str = "othello",
        *,
        copy: bool = True,
        render_mode: str | None = None,
    ) -> None:
        require_text("game", game, UnknownGameError)
        rules = get_game(game)
        if not isinstance(rules, Othello):
            raise ArgumentError(f"game: the vector environment supports only othello, not {game!r}")
        if side not in (None, 0, 1):
            raise ArgumentError(f"side: must be 0, 1 or None, not {side!r}")
        if not isinstance(num_envs, int | np.integer) or num_envs < 1:
            raise ArgumentError(f"num_envs: must be a positive integer, not {num_envs!r}")
        self.num_envs: int = int(num_envs)
        self.render_mode = check_render_mode(render_mode, PICTURE_MODES)
        self._copies = copy
        self._level = check_level(level)
        self._fixed_side = side
        self._game = rules
        size, actions = rules.size, len(rules.actions)
        self.single_action_space = Discrete(actions)
        self.single_observation_space = Dict(
            {"observation": Box(0, LARGEST, (size, size, 2), np.int8), "action_mask": Box(0, 1, (actions,), np.int8)}
        )
        self.action_space = batch_space(self.single_action_space, num_envs)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self._boards: Any = ManyBoards(self.num_envs, size)
        self._sides = np.zeros(num_envs, np.int64)
        self._ended = np.zeros(num_envs, np.uint8)
        self._moves = np.zeros(num_envs, np.int64)
        self._planes = np.zeros((num_envs, size, size, 2), np.int8)
        self._masks = np.zeros((num_envs, actions), np.int8)
        self._opponent = LevelBatch(self.num_envs, level, size) if isinstance(level, int) else None

    def reset(self, *, seed: Any = None, options: dict[str, Any] | None = None) -> tuple[Observation, dict[str, Any]]:
        """Start all games.

        :param seed: an integer; with the actions, it determines everything that follows.
        :param options: see :meth:`quietmove.environments.SeatEnv.reset`. Only these games start from ``fen``; those
            that follow them start from the initial position.
        :raises PositionError: if the position is invalid, or a game ends before the learner's first move.
        """
        fen = starting_fen(options)
        start = self._game.parse_position(fen.split()) if fen else self._game.initial()
        super().reset(seed=seed)
        self._boards.seed(int(self.np_random.integers(2**31)))
        if not start.is_over():
            self._begin(np.ones(self.num_envs, np.uint8), start)
        if start.is_over() or self._ended.any():
            raise PositionError(f"position: the game must not end before your first move: {fen!r}")
        return self._observation(), self._info()

    def step(self, actions: Any) -> tuple[Observation, Any, Any, Any, dict[str, Any]]:
        """Make a move in each game, and the opponents' replies.

        :param actions: integers of shape (num_envs,).
        :raises ArgumentError: if ``actions`` is anything else; the state is unchanged.
        """
        moves = np.asarray(actions)
        if moves.shape != (self.num_envs,) or moves.dtype.kind not in "iu":
            raise ArgumentError(
                f"actions: must be integers of the shape ({self.num_envs},), not {moves.dtype} of {moves.shape}"
            )
        moves = np.ascontiguousarray(moves, np.int64)
        fresh = (self._ended != 0).astype(np.uint8)
        going = 1 - fresh
        if fresh.any():
            self._begin(fresh, self._game.initial())
        self._boards.play(moves, going, self._ended)
        if self._level != "self":
            self._reply(going)
        rewards = np.zeros(self.num_envs)
        for game in np.flatnonzero(self._ended):
            rewards[game] = self._reward(int(game))
        return self._observation(), rewards, self._ended != 0, np.zeros(self.num_envs, bool), self._info()

    def random_actions(self) -> Any:
        """Return a random legal action for each game, much faster than ``action_space.sample``."""
        moves = np.zeros(self.num_envs, np.int64)
        self._boards.choose(moves)
        return moves

    def _begin(self, wanted: Any, start: OthelloPosition) -> None:
        games = np.flatnonzero(wanted)
        for game in games:
            self._boards.begin(game, start.black, start.white, start.side_to_move)
        self._ended[games] = 0
        drawn = self.np_random.integers(2, size=len(games)) if self._fixed_side is None else self._fixed_side
        self._sides[games] = drawn
        if self._opponent:
            for game in games:
                self._opponent.begin(int(self.np_random.integers(2**31)), int(game))
        if self._level != "self":
            self._reply((wanted & (self._sides != start.side_to_move)).astype(np.uint8))

    def _reply(self, wanted: Any) -> None:
        """Make the opponents' moves in the ``wanted`` games that are not over."""
        going = (wanted & (self._ended == 0)).astype(np.uint8)
        if self._opponent:
            for game in np.flatnonzero(going):
                square = self._opponent.choose(*self._discs(int(game)), int(game))
                self._moves[game] = self._game.actions.index(square)
        else:
            self._boards.choose(self._moves)
        self._boards.play(self._moves, going, self._ended)

    def _discs(self, game: int) -> tuple[int, int, int]:
        """Return a game's black discs, white discs, and side to move."""
        own, opp = self._boards.discs(game)
        side = self._boards.side(game)
        return (opp, own, 1) if side else (own, opp, 0)

    def _reward(self, game: int) -> float:
        """Return the reward at the end of a game, for the learner or, in self-play, for the last mover."""
        if self._ended[game] == ILLEGAL:
            return ILLEGAL_REWARD
        assert self._ended[game] == OVER
        score = self._boards.score(game)
        side = self._boards.side(game)
        learner = 1 - side if self._level == "self" else int(self._sides[game])
        return float((score > 0) - (score < 0)) * (1.0 if learner == side else -1.0)

    def _observation(self) -> Observation:
        self._boards.observe(self._planes, self._masks)
        planes, masks = (self._planes.copy(), self._masks.copy()) if self._copies else (self._planes, self._masks)
        return {"observation": planes, "action_mask": masks}

    def _info(self) -> dict[str, Any]:
        if self._level == "self":
            sides = np.array([self._boards.side(game) for game in range(self.num_envs)])
        else:
            sides = self._sides.copy()
        return {"side": sides, "_side": np.ones(self.num_envs, bool)}

    def render(self) -> tuple[Any, ...] | None:
        """Return each game's board as text or pixels, depending on ``render_mode``, or None without one."""
        if self.render_mode is None:
            return None
        table = Table(self._game.name)
        pictures = []
        for game in range(self.num_envs):
            table.begin(None, {"fen": format_board(*self._discs(game), self._game.size)})
            pictures.append(table.render(self.render_mode))
        return tuple(pictures)
