"""Ratings, error bars and tests. Pure."""
