"""Ratings, error bars and tests, as pure functions."""
