"""The line protocol: text in, a call of the session, text out. ``protocol.md`` is its contract."""
