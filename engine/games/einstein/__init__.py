"""EinStein würfelt nicht!: :mod:`~engine.games.einstein.game` says how it is played."""

from engine.games.einstein.game import make_game

__all__ = ["make_game"]
