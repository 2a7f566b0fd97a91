"""The configuration of games: its data types, and how the command line and TOML files specify it."""
