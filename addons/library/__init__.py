"""The database of games, the explorer, and books of other programs."""
