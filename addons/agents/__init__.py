"""Environments for learning programs, and the server for assistants."""
