"""Tournaments between engines: scheduled, played, stored and rated."""
