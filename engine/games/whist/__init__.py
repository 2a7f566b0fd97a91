"""Whist for two: :mod:`~quietmove.engine.games.whist.game` says how it is played."""

from quietmove.engine.games.whist.game import make_game

__all__ = ["make_game"]
