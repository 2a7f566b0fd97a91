"""Whist for two: :mod:`~engine.games.whist.game` says how it is played."""

from engine.games.whist.game import make_game

__all__ = ["make_game"]
