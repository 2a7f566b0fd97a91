"""Building the opening book of Othello from our own searches."""
