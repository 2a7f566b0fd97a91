"""EinStein würfelt nicht!: :mod:`~quietmove.engine.games.einstein.game` says how it is played."""
