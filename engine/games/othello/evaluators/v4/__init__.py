"""The x86-64-v4 builds of the parent package's modules; see :mod:`quietmove.engine.games.othello`."""
