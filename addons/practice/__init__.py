"""Practice with positions from your reviewed games and with endgames, using spaced repetition."""
