"""The public name of the environments, which the add-on ``agents`` brings."""

from quietmove.addons.agents.environments import GameEnv, OthelloVectorEnv, SeatEnv, env, raw_env

__all__ = ["GameEnv", "OthelloVectorEnv", "SeatEnv", "env", "raw_env"]
