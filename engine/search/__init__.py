"""The search, which sees a game only through :class:`engine.games.base.Position`."""
