"""The public name of the bot for OpenSpiel, which the add-on ``agents`` brings."""

from quietmove.addons.agents.open_spiel import QuietmoveBot, to_position, to_state

__all__ = ["QuietmoveBot", "to_position", "to_state"]
