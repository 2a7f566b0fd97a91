"""The games as PettingZoo and Gymnasium environments for learning programs. Needs the extra ``environments``.

>>> from quietmove import environments
>>> env = environments.env("othello")
>>> env.reset(seed=1)
>>> env.last()[0]["observation"].shape
(8, 8, 2)

Importing this module registers the Gymnasium environments: ``Quietmove/Othello-v0`` and one for each game by name,
with a level as the opponent, and ``Quietmove/Game-v0`` with any ``game``. The bot for OpenSpiel is in the separate
module :mod:`quietmove.environments.open_spiel`.
"""

from __future__ import annotations

from quietmove.engine.common.origin import install_command

try:
    import gymnasium
    import numpy  # noqa: F401 (the modules below need it)
    import pettingzoo  # noqa: F401
except ModuleNotFoundError as error:
    needs = f"quietmove.environments needs {error.name}: {install_command('environments')}"
    raise ImportError(needs, name=error.name) from None

from quietmove.addons.agents.aec import GameEnv, env, raw_env
from quietmove.addons.agents.boards import Boards
from quietmove.addons.agents.seat import SeatEnv
from quietmove.addons.agents.teacher import evaluate, solve, to_bitboards
from quietmove.addons.agents.vector import OthelloVectorEnv
from quietmove.engine.games.registry import game_names

__all__ = ["Boards", "GameEnv", "OthelloVectorEnv", "SeatEnv", "env", "evaluate", "raw_env", "solve", "to_bitboards"]

for _name, _game in {**{each.capitalize(): each for each in game_names()}, "Game": None}.items():
    gymnasium.register(
        f"Quietmove/{_name}-v0",
        "quietmove.environments:SeatEnv",
        kwargs={"game": _game} if _game else {},
        vector_entry_point="quietmove.environments:OthelloVectorEnv" if _game == "othello" else None,
    )
