"""Whist for two: see :mod:`~quietmove.addons.games.whist.game` for the rules."""
