"""The games database: many games, indexed by their positions."""
