"""The games that N in a row win: :mod:`~quietmove.engine.games.in_a_row.game` says how they are played."""
