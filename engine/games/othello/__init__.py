"""Othello.

The compiled modules of this package exist twice: plain ones beside their sources, and ones for x86-64-v3 (256-bit
vectors) in the folder ``v3``. Where the processor has those instructions the folder is put in front of the package's
search path, so that ``board`` here is one name with two builds. ``QUIETMOVE_CPU=plain`` keeps the plain ones.
"""

import os

from quietmove.engine.games.othello.cpu import supports_v3

V3_FOLDER = os.path.join(os.path.dirname(__file__), "v3")

if supports_v3() and os.environ.get("QUIETMOVE_CPU") != "plain" and os.path.isdir(V3_FOLDER):
    __path__.insert(0, V3_FOLDER)

from quietmove.engine.games.othello.game import make_game  # noqa: E402 (the search path comes first)

__all__ = ["make_game"]
