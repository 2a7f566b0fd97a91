"""Games won by N in a row: see :mod:`~quietmove.engine.games.in_a_row.game` for the rules."""
