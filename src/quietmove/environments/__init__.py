"""The public name of the environments, which the add-on ``agents`` brings."""

from quietmove.addons.agents.environments import (
    GameEnv,
    OthelloVectorEnv,
    SeatEnv,
    env,
    evaluate,
    raw_env,
    solve,
    to_bitboards,
)

__all__ = ["GameEnv", "OthelloVectorEnv", "SeatEnv", "env", "evaluate", "raw_env", "solve", "to_bitboards"]
