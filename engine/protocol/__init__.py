"""The engine's line protocols: they parse commands, call the session and print its results. See ``protocol.md``."""
