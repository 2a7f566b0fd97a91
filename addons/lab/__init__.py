"""The laboratory: ``quietmove lab EXPERIMENT``. Each experiment has its own module and prints a short table."""
