"""Practice from one's own mistakes, openings and endgames."""
