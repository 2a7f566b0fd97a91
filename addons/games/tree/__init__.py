"""Explicit game trees: see :mod:`~quietmove.addons.games.tree.game`."""
