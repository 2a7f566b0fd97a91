"""The hall: people hand in programs, or an author registers engines, and what is asked for is played by itself."""
