"""A match between two engines: pairs of games, played concurrently, and their score."""
