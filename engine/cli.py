"""The command ``quietmove``, as installations made before it moved find it."""

from quietmove.cli import main

__all__ = ["main"]
