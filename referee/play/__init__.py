"""A game by hand in a terminal, against this engine, another one or another person: ``quietmove play``."""
