"""The games database: positions of many games, and the moves played there."""
