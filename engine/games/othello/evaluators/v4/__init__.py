"""Where the x86-64-v4 builds of the modules above are put; see :mod:`quietmove.engine.games.othello`."""
