"""Public names of the reinforcement learning environments, which the add-on ``agents`` provides."""

from quietmove.addons.agents.environments import (
    Boards,
    GameEnv,
    OthelloVectorEnv,
    SeatEnv,
    env,
    evaluate,
    raw_env,
    solve,
    to_bitboards,
)

__all__ = ["Boards", "GameEnv", "OthelloVectorEnv", "SeatEnv", "env", "evaluate", "raw_env", "solve", "to_bitboards"]
