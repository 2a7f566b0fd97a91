"""One game: its clocks, its verdict and its record."""
