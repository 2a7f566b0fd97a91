"""Othello.

The compiled modules of this package exist twice: plain ones beside their sources, and ones for x86-64-v3 (256-bit
vectors) in the folder ``v3``. Where the processor has those instructions the folder is put in front of the package's
search path, so that ``board`` here is one name with two builds. ``QUIETMOVE_CPU=plain`` keeps the plain ones.
"""

from quietmove.engine.games.othello.cpu import prefer_vectors

prefer_vectors(__path__)

from quietmove.engine.games.othello.game import make_game  # noqa: E402 (the search path comes first)

__all__ = ["make_game"]
