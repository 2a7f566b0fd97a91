"""The configuration of games: its data types, how they are validated, and openings."""
