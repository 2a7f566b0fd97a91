"""The laboratory: ``quietmove lab EXPERIMENT``, one file per experiment; each prints a short table."""
