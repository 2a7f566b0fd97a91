"""What a tournament is, as a value and as a TOML file says it."""
