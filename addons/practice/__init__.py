"""Practice: your mistakes from reviewed games, and endgames, repeated until you have learnt them."""
