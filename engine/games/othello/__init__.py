"""Othello.

The compiled modules of this package exist in several builds: plain ones next to their sources, builds for x86-64-v3
(256-bit vectors) in the folder ``v3``, and for two modules that benefit from it, x86-64-v4 (AVX-512) in ``v4``. The
folders that the processor supports are added to the front of the package's search path, so that importing ``board``
from here selects its fastest usable build. Set ``QUIETMOVE_CPU`` to ``plain``, ``v3`` or ``v4`` to limit the choice.
"""

from quietmove.engine.games.othello.cpu import prefer_vectors

prefer_vectors(__path__)
