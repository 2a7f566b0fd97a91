"""Othello.

The compiled modules of this package exist more than once: plain ones beside their sources, ones for x86-64-v3 (256-bit
vectors) in the folder ``v3``, and the two that gain by it for x86-64-v4 (AVX-512) in ``v4``. The folders that the
processor has the instructions for are put in front of the package's search path. So ``board`` here is one name with
three builds. ``QUIETMOVE_CPU`` = ``plain``, ``v3`` or ``v4`` names the build to stop at.
"""

from quietmove.engine.games.othello.cpu import prefer_vectors

prefer_vectors(__path__)
