"""Whist for two: :mod:`~quietmove.engine.games.whist.game` says how it is played."""
