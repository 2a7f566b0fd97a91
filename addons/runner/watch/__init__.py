"""Tournaments on the pages of ``quietmove-referee serve``: looked at while they are played, and later."""
