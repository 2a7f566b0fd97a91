"""Games written by users in plain Python: see :mod:`~quietmove.engine.games.user.game` for the interface."""
