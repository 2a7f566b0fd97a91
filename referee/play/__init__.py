"""``quietmove play``: a game in the terminal against this engine, another engine or another person."""
