"""An add-on: checks of an engine's behaviour, ``quietmove-referee check``."""
