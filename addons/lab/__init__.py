"""Experiments with the search, traces and search trees."""
