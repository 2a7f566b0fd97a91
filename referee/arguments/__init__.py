"""The arguments that describe an engine, on command lines and in TOML files."""
