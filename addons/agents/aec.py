"""PettingZoo environments for every game, with alternating players (AEC)."""

from __future__ import annotations

from typing import Any

from gymnasium.spaces import Space
from pettingzoo import AECEnv
from pettingzoo.utils import wrappers

from quietmove.addons.agents.table import ILLEGAL_REWARD, RENDER_MODES, Observation, Table, check_render_mode

__all__ = ["GameEnv", "env", "raw_env"]

PLAYERS = ("player_0", "player_1")  # the first and the second player


def env(game: str = "othello", *, render_mode: str | None = None) -> AECEnv[str, Observation, int | None]:
    """Return a game as a PettingZoo environment with the usual wrappers, so that an illegal action loses the game.

    :param game: a name from :func:`quietmove.games`, optionally followed by a space and the game's parameters, or a
        user's ``path/file.py:Class``.
    :param render_mode: ``ansi`` to render the board as text, ``rgb_array`` as pixels, ``human`` to print it after each
        step, or None.
    :raises UnknownGameError, ArgumentError: if there is no such game or mode.
    """
    made = wrappers.TerminateIllegalWrapper(raw_env(game, render_mode=render_mode), illegal_reward=ILLEGAL_REWARD)
    return wrappers.OrderEnforcingWrapper(wrappers.AssertOutOfBoundsWrapper(made))


def raw_env(game: str = "othello", *, render_mode: str | None = None) -> GameEnv:
    """Return the environment without wrappers; an illegal action then raises an IllegalMoveError."""
    return GameEnv(game, render_mode=render_mode)


class GameEnv(AECEnv[str, Observation, int | None]):
    """A PettingZoo environment for a two-player game, in which ``player_0`` moves first.

    An action is the number of a move. An observation is a dictionary of two ``int8`` arrays: ``observation`` contains
    the player's knowledge as the planes of :meth:`quietmove.engine.games.base.Game.planes`, with the shape (rows,
    columns, planes), or as the text of the position for a game without a board; ``action_mask`` is 1 for each legal
    action, and all 0 while the opponent is to move. The final rewards are 1 and -1, or 0 and 0. Chance moves, such as
    dice rolls, are made after an action and determined by the seed.

    :param game: see :func:`env`.
    """

    metadata = {  # noqa: RUF012 (PettingZoo declares it)
        "name": "quietmove_v0",
        "render_modes": list(RENDER_MODES),
        "is_parallelizable": False,
        "render_fps": 2,
    }

    def __init__(self, game: str = "othello", *, render_mode: str | None = None) -> None:
        self.render_mode = check_render_mode(render_mode)
        self._table = Table(game)
        self.possible_agents = list(PLAYERS)
        self.agents = self.possible_agents[:]

    def observation_space(self, agent: str) -> Space[Any]:
        """Return the observation space, which is the same for both players."""
        return self._table.observation_space

    def action_space(self, agent: str) -> Space[Any]:
        """Return the action space; its ``sample(mask)`` accepts an ``action_mask``."""
        return self._table.action_space

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Start a game.

        :param seed: the seed for dice and deals.
        :param options: ``{"fen": …}`` starts from a position in the format of :attr:`quietmove.Position.fen`.
        :raises PositionError: if the position is invalid.
        """
        self._table.begin(seed, options)
        self.agents = self.possible_agents[:]
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in self.agents}
        self._choose_agent()
        self._accumulate_rewards()  # the game may be over in the starting position
        self._show()

    def observe(self, agent: str) -> Observation:
        """Return a player's current observation."""
        return self._table.observe(PLAYERS.index(agent))

    def step(self, action: int | None) -> None:
        """Play a move for the agent to move.

        :raises IllegalMoveError: if the move is illegal; the state is unchanged.
        """
        if self.terminations[self.agent_selection] or self.truncations[self.agent_selection]:
            self._was_dead_step(action)
            return
        mover = self.agent_selection
        self._table.play(action if action is not None else -1)
        self._cumulative_rewards[mover] = 0.0
        self._choose_agent()
        self._accumulate_rewards()
        self._show()

    def _show(self) -> None:
        if self.render_mode == "human":
            self.render()

    def _choose_agent(self) -> None:
        """Select the player to move; if the game is over, set the rewards and terminations."""
        position = self._table.position
        if position.is_over():
            self.rewards = dict(zip(PLAYERS, self._table.rewards, strict=True))
            self.terminations = dict.fromkeys(self.agents, True)
        self.agent_selection = PLAYERS[position.next_player]

    def render(self) -> Any:
        """Print the board in ``human`` mode; return it as text (``ansi``) or pixels (``rgb_array``)."""
        return self._table.render(self.render_mode)

    def close(self) -> None:
        """Do nothing: there is nothing to release."""

    def __str__(self) -> str:
        return f"quietmove_{self._table.game.name.replace(' ', '_')}_v0"
