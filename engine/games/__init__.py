"""The games: :mod:`~quietmove.engine.games.base` defines the interface, ``registry`` finds a game by name."""
