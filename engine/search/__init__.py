"""The search, which sees a game only through :class:`quietmove.engine.games.base.Position`."""
