"""The laboratory: ``quietmove lab EXPERIMENT``, one file an experiment, each a table that is read in a minute."""
