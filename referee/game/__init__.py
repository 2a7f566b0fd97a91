"""One game: its rules of time and judgement, its record."""
