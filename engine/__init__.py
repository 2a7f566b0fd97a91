"""Quietmove: an Othello engine that speaks a UCI-style line protocol.

The layers, lowest first: :mod:`engine.errors` and :mod:`engine.values`, the games (:mod:`engine.games`), the search
(:mod:`engine.search`), one facade over both (:mod:`engine.session`), and the protocol (:mod:`engine.protocol`).
"""

__version__ = "0.1.0"
