"""The tournament's database file: write, read and verify it."""
