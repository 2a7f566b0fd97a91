"""Whist for two: see :mod:`~quietmove.engine.games.whist.game` for the rules."""
