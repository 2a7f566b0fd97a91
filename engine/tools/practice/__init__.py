"""Practice: the mistakes of reviewed games, asked again until they are learnt."""
