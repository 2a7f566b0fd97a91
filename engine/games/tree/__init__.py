"""Explicit game trees: see :mod:`~quietmove.engine.games.tree.game`."""
