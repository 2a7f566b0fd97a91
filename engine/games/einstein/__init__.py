"""EinStein würfelt nicht!: :mod:`~quietmove.engine.games.einstein.game` says how it is played."""

from quietmove.engine.games.einstein.game import make_game

__all__ = ["make_game"]
