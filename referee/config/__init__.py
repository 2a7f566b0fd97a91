"""What is to be played, as values, and as a command line and a TOML file say it."""
