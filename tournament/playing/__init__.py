"""Play a tournament's games and show their progress in the terminal."""
