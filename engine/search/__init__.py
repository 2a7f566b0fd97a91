"""The search, which accesses games only through :class:`quietmove.engine.games.base.Position`."""
