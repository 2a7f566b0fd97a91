"""Games written by a user in plain Python: :mod:`~quietmove.engine.games.user.game` says what they must offer."""
