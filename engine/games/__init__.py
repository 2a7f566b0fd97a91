"""The games: :mod:`~quietmove.engine.games.base` says what a game is, and ``registry`` finds one by its name."""
