"""Tournaments between engines: scheduling, playing, storage and ratings."""
