"""The engine: errors, games, search, session and protocols.

Its layers, lowest first, are :mod:`~quietmove.engine.errors` and :mod:`~quietmove.engine.values`, the games
(:mod:`~quietmove.engine.games`), the search (:mod:`~quietmove.engine.search`), one facade over both
(:mod:`~quietmove.engine.session`), and the protocol (:mod:`~quietmove.engine.protocol`).
"""
