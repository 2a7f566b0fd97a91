"""EinStein würfelt nicht!: see :mod:`~quietmove.addons.games.einstein.game` for the rules."""
