"""Where the x86-64-v3 builds of the modules above are put; see :mod:`quietmove.engine.games.othello`."""
