"""The database of games: positions of many games, and what was played there."""
