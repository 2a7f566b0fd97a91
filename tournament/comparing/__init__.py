"""Tournaments that a command line describes: two engines compared, options tuned."""
