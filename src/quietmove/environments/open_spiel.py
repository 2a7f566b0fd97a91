"""Public names of the OpenSpiel bot, which the add-on ``agents`` provides."""

from quietmove.addons.agents.open_spiel import QuietmoveBot, to_position, to_state

__all__ = ["QuietmoveBot", "to_position", "to_state"]
