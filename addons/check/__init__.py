"""An add-on that checks an engine's behaviour: ``quietmove-referee check``."""
