"""The laboratory, ``quietmove lab EXPERIMENT``: experiments with the search, most of which print a short table."""
