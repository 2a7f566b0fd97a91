"""A tournament's configuration, as a value and as a TOML file."""
