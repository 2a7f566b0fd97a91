"""An add-on: examinations of an engine's manners, ``quietmove-referee check``."""
