"""Players: one module for each protocol that is spoken to an engine, behind one contract."""

from __future__ import annotations

from quietmove.referee.config import Color, EngineConfig
from quietmove.referee.players.base import Answer, Failure, Player, Turn
from quietmove.referee.players.project import ProjectPlayer
from quietmove.referee.players.uci import UciPlayer
from quietmove.referee.process import Listener

__all__ = ["Answer", "Failure", "Player", "Turn", "create_player"]

PLAYERS: dict[str, type[Player]] = {"uci": UciPlayer, "project": ProjectPlayer}


def create_player(config: EngineConfig, color: Color, game: str, listener: Listener | None = None) -> Player:
    """Return the player that speaks the protocol of ``config``; it has not been started."""
    return PLAYERS[config.protocol](config, color, game, listener)
