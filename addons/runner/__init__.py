"""Tournaments in the browser, and their report."""
