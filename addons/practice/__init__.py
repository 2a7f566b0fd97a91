"""Practice: the mistakes of reviewed games, and endgames, asked again until they are learnt."""
