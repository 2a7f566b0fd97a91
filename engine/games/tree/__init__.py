"""Explicit game trees: :mod:`~quietmove.engine.games.tree.game` reads, writes and draws them."""
