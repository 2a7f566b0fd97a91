"""EinStein würfelt nicht!: see :mod:`~quietmove.engine.games.einstein.game` for the rules."""
